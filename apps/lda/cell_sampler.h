// apps/lda/cell_sampler.h -- draws new topics for the tokens of one word in one shard: a cell.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/cell_kernel.h"
#include "apps/lda/document_rows.h"
#include "apps/lda/line_vector.h"
#include "apps/lda/topic_count.h"
#include "apps/lda/topic_totals.h"
#include "rota/random.h"

namespace rota::lda {

class CellSampler {
 public:
  CellSampler(std::uint32_t topics, double alpha, double beta);

  // Cells between begin() and the next begin() share `totals` and `rows`, which must outlive them.
  void begin(Draw draw, TopicTotals& totals, DocumentRows& rows);
  // `token_topics` are the topics of the word's tokens, `documents` where those are.
  void sample(WordRow& word, std::span<const std::uint32_t> documents, std::span<std::uint16_t> token_topics,
              Random& random);

 private:
  void spread(const WordRow& word);
  void collect(WordRow& word);

  SampleCell kernel_;
  Cell cell_{};
  LineVector<std::uint32_t> word_;  // n_wk of every topic; zeros between cells
  LineVector<float> runs_;
  std::vector<std::uint16_t> appeared_;
  std::vector<std::uint64_t> draws_;
  WordRow new_cells_;
};

}  // namespace rota::lda
