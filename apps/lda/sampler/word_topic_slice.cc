// apps/lda/sampler/word_topic_slice.cc
#include "apps/lda/sampler/word_topic_slice.h"

#include <limits>
#include <utility>

namespace rota::lda {
namespace {

constexpr std::size_t kLeastCell = 2;  // bytes
constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();

// Places for a row of this number of cells, and for some that it gains in a shard.
constexpr std::size_t room_for(std::size_t cells) {
  return cells + cells / 4 + 1;
}

}  // namespace

void WordTopicSlice::encode(Writer& out) const {
  std::size_t cells = 0;
  for (const WordRow& row : rows_) cells += row.size();
  out.reserve(out.view().size() + rows_.size() + kLeastCell * cells);
  for (const WordRow& row : rows_) {
    out.put_varint(row.size());
    std::uint32_t next = 0;  // the smallest topic that may follow
    for (const TopicCount cell : row) {
      out.put_varint(cell.topic - next);
      out.put_varint(cell.count);
      next = cell.topic + 1U;
    }
  }
}

void WordTopicSlice::decode(Reader& in) {
  auto memory = std::make_unique<std::pmr::monotonic_buffer_resource>();
  std::vector<WordRow> rows;
  rows.reserve(rows_.size());
  while (rows.size() < rows_.size()) {
    const std::size_t cells = in.get_count(kLeastCell);
    if (cells > topics_) in.fail();
    if (!in.ok()) return;
    WordRow& row = rows.emplace_back(memory.get());
    row.reserve(room_for(cells));
    std::uint64_t next = 0, sum = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      if (next >= topics_) in.fail();
      const std::uint64_t topic = next + (in.ok() ? in.get_bounded(topics_ - 1 - next) : 0);
      const auto count = in.get_bounded<std::uint32_t>(kMostCount);
      sum += count;
      // A word has fewer tokens than a corpus may have, so adding to a count cannot overflow.
      if (count == 0 || sum > kMostCount) in.fail();
      if (!in.ok()) return;
      row.push_back({count, static_cast<std::uint16_t>(topic)});
      next = topic + 1;
    }
  }
  rows_ = std::move(rows);
  memory_ = std::move(memory);
}

}  // namespace rota::lda
