#include "apps/lda/sampler/shard_tokens.h"

#include <algorithm>

namespace rota::lda {

ShardTokens::ShardTokens(std::uint32_t topics, std::uint32_t documents, std::span<const io::WordCount> counts,
                         const MhRule& rule)
    : lengths_(documents) {
  for (const io::WordCount& each : counts) lengths_[each.document] += each.count;
  for (const std::uint32_t length : lengths_) size_ += length;
  rows_ = DocumentRows(topics, lengths_, rule);
}

void ShardTokens::attach(const Cut& cut, std::span<const io::WordCount> counts) {
  std::vector<bool> is_mh(lengths_.size());
  for (std::size_t d = 0; d < is_mh.size(); ++d) is_mh[d] = rows_.is_mh(d);
  layout_ = TokenLayout(cut, counts, is_mh);
  mh_documents_ = DocumentTokens(lengths_, is_mh, layout_.documents());
}

void ShardTokens::counts_of(std::size_t document, std::vector<TopicCount>& to) const {
  to.clear();
  rows_.append_counts(document, to);
}

void ShardTokens::end_epoch() {
  rows_.choose_forms();
  if (!mh_documents_.ready()) mh_documents_.assign(layout_.topics());
}

std::vector<std::vector<TopicCount>> ShardTokens::counted() const {
  std::vector<std::size_t> next(lengths_.size() + 1, 0);  // begin of each document's topics, and then their end
  for (std::size_t d = 0; d < lengths_.size(); ++d) next[d + 1] = next[d] + lengths_[d];
  std::vector<std::uint16_t> topics(size_);
  for (std::size_t i = 0; i < topics.size(); ++i) topics[next[layout_.documents()[i]]++] = layout_.topics()[i];

  std::vector<std::vector<TopicCount>> documents(lengths_.size());
  std::size_t begin = 0;
  for (std::size_t d = 0; d < lengths_.size(); begin = next[d++]) {
    const auto of_document = std::span(topics).subspan(begin, next[d] - begin);
    std::sort(of_document.begin(), of_document.end());
    for (const std::uint16_t topic : of_document) {
      if (documents[d].empty() || documents[d].back().topic != topic) documents[d].push_back({0, topic});
      ++documents[d].back().count;
    }
  }
  return documents;
}

bool ShardTokens::restore(std::span<const std::uint16_t> topics, std::span<const Row> rows) {
  if (topics.size() != size_ || rows.size() != lengths_.size()) return false;
  std::copy(topics.begin(), topics.end(), layout_.topics().begin());
  const auto documents = counted();
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::vector<TopicCount> sorted = rows[d].cells;  // the order of a list is its own
    std::sort(sorted.begin(), sorted.end(), [](TopicCount a, TopicCount b) { return a.topic < b.topic; });
    if (sorted != documents[d] || !rows_.assign(d, rows[d].is_list, rows[d].cells)) return false;
  }
  mh_documents_.assign(layout_.topics());
  return true;
}

}  // namespace rota::lda
