#include "apps/lda/sampler/shard_tokens.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

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

TokenLayout::TokenLayout(const Cut& cut, std::span<const io::WordCount> counts) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t words = 0;
  for (const io::WordCount& each : counts) words = std::max(words, each.word + 1);
  std::vector<std::uint32_t> tokens(words, 0);  // of each word, then the place of its next token
  for (const io::WordCount& each : counts) tokens[each.word] += each.count;

  std::uint32_t begin = 0;
  group_begin_.assign(1, 0);
  std::vector<std::uint32_t> place(words, kNone);
  const auto add_group = [&](const std::vector<Key>& keys) {
    for (std::size_t row = 0; row < keys.size(); ++row) {
      if (keys[row] >= words || tokens[keys[row]] == 0 || place[keys[row]] != kNone) continue;
      place[keys[row]] = begin;
      const std::uint32_t end = begin + tokens[keys[row]];
      words_.push_back({static_cast<std::uint32_t>(row), begin, end});
      begin = end;
    }
    group_begin_.push_back(words_.size());
  };
  for (const auto& keys : cut.slices) add_group(keys);
  add_group(cut.replicated);

  documents_.resize(begin);
  topics_.resize(begin);
  for (const io::WordCount& each : counts) {
    std::uint32_t& at = place[each.word];
    if (at == kNone) throw std::logic_error("the cut lacks word " + std::to_string(each.word));
    std::fill_n(documents_.begin() + at, each.count, each.document);
    at += each.count;
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
