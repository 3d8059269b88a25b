#include "apps/lda/sampler/shard_tokens.h"

#include <algorithm>
#include <limits>

namespace rota::lda {

void DocumentTopics::encode(Writer& out) const {
  out.put(is_list);
  out.put_varint(cells.size());
  for (const TopicCount cell : cells) {
    out.put_varint(cell.topic);
    out.put_varint(cell.count);
  }
}

void DocumentTopics::decode(Reader& in) {
  is_list = in.get_bounded<unsigned>(1) == 1;
  cells.resize(in.get_count(2));
  for (TopicCount& cell : cells) {
    cell.topic = in.get_bounded<std::uint16_t>(std::numeric_limits<std::uint16_t>::max());
    cell.count = in.get_bounded<std::uint32_t>(std::numeric_limits<std::uint32_t>::max());
    if (cell.count == 0) in.fail();
  }
}

ShardTokens::ShardTokens(std::uint32_t topics, std::uint32_t documents, std::span<const io::WordCount> counts)
    : lengths_(documents) {
  for (const io::WordCount& each : counts) lengths_[each.document] += each.count;
  for (const std::uint32_t length : lengths_) size_ += length;
  rows_ = DocumentRows(topics, lengths_);
}

void ShardTokens::attach(const Cut& cut, std::span<const io::WordCount> counts) {
  layout_ = TokenLayout(cut, counts);
}

void ShardTokens::counts_of(std::size_t document, std::vector<TopicCount>& to) const {
  to.clear();
  rows_.append_counts(document, to);
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

bool ShardTokens::restore(std::span<const std::uint16_t> topics, std::span<const DocumentTopics> rows) {
  if (topics.size() != size_ || rows.size() != lengths_.size()) return false;
  std::copy(topics.begin(), topics.end(), layout_.topics().begin());
  const auto documents = counted();
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::vector<TopicCount> sorted = rows[d].cells;  // the order of a list is its own
    std::sort(sorted.begin(), sorted.end(), [](TopicCount a, TopicCount b) { return a.topic < b.topic; });
    if (sorted != documents[d] || !rows_.assign(d, rows[d].is_list, rows[d].cells)) return false;
  }
  return true;
}

}  // namespace rota::lda
