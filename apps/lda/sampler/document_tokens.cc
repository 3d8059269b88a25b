// apps/lda/sampler/document_tokens.cc
#include "apps/lda/sampler/document_tokens.h"

namespace rota::lda {

DocumentTokens::DocumentTokens(std::span<const std::uint32_t> lengths, const std::vector<bool>& here,
                               std::span<const std::uint32_t> documents)
    : begins_(lengths.size() + 1) {
  for (std::size_t d = 0; d < lengths.size(); ++d) begins_[d + 1] = begins_[d] + (here[d] ? lengths[d] : 0);
  if (begins_.back() == 0) return;
  places_.resize(documents.size(), kNowhere);
  std::vector<std::uint32_t> next = begins_;
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (here[documents[i]]) places_[i] = next[documents[i]]++;
}

void DocumentTokens::assign(std::span<const std::uint16_t> token_topics) {
  topics_.resize(begins_.back());
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i] != kNowhere) topics_[places_[i]] = token_topics[i];
}

}  // namespace rota::lda
