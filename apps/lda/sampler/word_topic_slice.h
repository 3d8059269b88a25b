// apps/lda/sampler/word_topic_slice.h -- the topic counts n_wk of one slice's words.
//
// Encoded, row after row in the order of the keys:
//   cells: varint, then for each cell, topics ascending
//     topic: varint, less the previous topic and 1 (the first: unchanged)
//     count: varint, at least 1
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

#include "apps/lda/sampler/topic_count.h"
#include "rota/slices.h"

namespace rota::lda {

class WordTopicSlice final : public Slice {
 public:
  WordTopicSlice(std::size_t rows, std::uint32_t topics) : rows_(rows), topics_(topics) {}

  std::size_t rows() const { return rows_.size(); }
  WordRow& row(std::size_t i) { return rows_[i]; }
  const WordRow& row(std::size_t i) const { return rows_[i]; }

  void encode(Writer& out) const override;
  void decode(Reader& in) override;

 private:
  // Of rows that were decoded: a slice that moves between processes is decoded and freed at every step, and its rows
  // are many and short.  Memory that a row leaves when it grows is not reused; as a row's capacity at least doubles,
  // that is less than the rows themselves.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::vector<WordRow> rows_;  // in that memory, so it is destroyed first
  std::uint32_t topics_;
};

}  // namespace rota::lda
