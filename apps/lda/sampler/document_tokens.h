// apps/lda/sampler/document_tokens.h -- a second copy of the topics of a shard's tokens, in the order of the documents.
//
// A random token's topic is a draw in proportion to n_dk.  Only documents that are drawn by Metropolis-Hastings steps
// are here; a shard without any uses no memory for it.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rota::lda {

class DocumentTokens {
 public:
  DocumentTokens() = default;
  // `documents` of the tokens; `here`: whether a document's tokens are to be here.
  DocumentTokens(std::span<const std::uint32_t> lengths, const std::vector<bool>& here,
                 std::span<const std::uint32_t> documents);

  // There are such documents, and their topics are set.
  bool ready() const { return !topics_.empty(); }
  // Copies all tokens' topics.
  void assign(std::span<const std::uint16_t> token_topics);

  // Where each token is in topics(), and where each document begins.
  std::span<const std::uint32_t> places() const { return places_; }
  const std::uint32_t* begins() const { return begins_.data(); }
  std::uint16_t* topics() { return topics_.data(); }

 private:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> begins_;  // of each document, and the end of the last
  std::vector<std::uint32_t> places_;
  std::vector<std::uint16_t> topics_;
};

}  // namespace rota::lda
