// apps/lda/sampler/word_topic_slice.h -- the topic counts n_wk of one slice's words.
//
// Encoded, row after row in the order of the keys:
//   cells: varint, then for each cell, topics ascending
//     topic: varint, less the topic before it and 1 (the first: as it is)
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
  // Of rows that were decoded: a slice that goes from process to process is decoded and freed at every step, and its
  // rows are many and short.  What a row leaves behind when it grows is not used again; as a row's room at least
  // doubles, that is less than the rows themselves.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::vector<WordRow> rows_;  // in that memory, so it goes first
  std::uint32_t topics_;
};

}  // namespace rota::lda
