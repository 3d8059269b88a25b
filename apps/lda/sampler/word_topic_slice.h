// apps/lda/sampler/word_topic_slice.h -- the topic counts n_wk of one slice's words.
//
// Encoded, row after row in the order of the keys:
//   cells: varint, then for each cell, topics ascending
//     topic: varint, less the previous topic and 1 (the first: unchanged)
//     count: varint, at least 1
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

#include "rota/slices.h"

namespace rota::lda {

// One cell of a sparse row of counts.
struct TopicCount {
  std::uint32_t count;  // not 0
  std::uint16_t topic;

  void encode(Writer& out) const {
    out.put_varint(topic);
    out.put_varint(count);
  }
  void decode(Reader& in) {
    topic = in.get_bounded<std::uint16_t>(std::numeric_limits<std::uint16_t>::max());
    count = in.get_bounded<std::uint32_t>(std::numeric_limits<std::uint32_t>::max());
    if (count == 0) in.fail();
  }
  friend bool operator==(const TopicCount&, const TopicCount&) = default;
};

// The topics of one word, ascending.  Those of a slice may be in its memory; a row that outlives the
// slice must be a copy with its own memory.
using WordRow = std::pmr::vector<TopicCount>;

class WordTopicSlice final : public Slice {
 public:
  WordTopicSlice(std::size_t rows, std::uint32_t topics) : rows_(rows), topics_(topics) {}

  std::size_t rows() const { return rows_.size(); }
  WordRow& row(std::size_t i) { return rows_[i]; }
  const WordRow& row(std::size_t i) const { return rows_[i]; }

  void encode(Writer& out) const override {
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
  void decode(Reader& in) override {
    constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();
    auto memory = std::make_unique<std::pmr::monotonic_buffer_resource>();
    std::vector<WordRow> rows;
    rows.reserve(rows_.size());
    while (rows.size() < rows_.size()) {
      const std::size_t cells = in.get_count(kLeastCell);
      if (cells > topics_) in.fail();
      if (!in.ok()) return;
      WordRow& row = rows.emplace_back(memory.get());
      row.reserve(cells + cells / 4 + 1);  // and places for some that it gains in a shard
      std::uint64_t next = 0, sum = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        if (next >= topics_) return in.fail();
        const std::uint64_t topic = next + in.get_bounded(topics_ - 1 - next);
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

 private:
  static constexpr std::size_t kLeastCell = 2;  // bytes

  // Of rows that were decoded: a slice that moves between processes is decoded and freed at every step, and its rows
  // are many and short.  Memory that a row leaves when it grows is not reused; as a row's capacity at least doubles,
  // that is less than the rows themselves.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::vector<WordRow> rows_;  // in that memory, so it is destroyed first
  std::uint32_t topics_;
};

}  // namespace rota::lda
