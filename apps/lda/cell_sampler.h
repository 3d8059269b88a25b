// apps/lda/cell_sampler.h -- draws new topics for the tokens of one word in one shard: a cell.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/cell_kernel.h"
#include "apps/lda/document_rows.h"
#include "apps/lda/line_vector.h"
#include "apps/lda/priors.h"
#include "apps/lda/topic_count.h"
#include "apps/lda/topic_totals.h"
#include "rota/random.h"

namespace rota::lda {

class CellSampler {
 public:
  explicit CellSampler(const Priors& priors);

  // Not between begin() and the cells that it is for.
  void set_priors(const Priors& priors);

  // Cells between begin() and the next begin() share `totals` and `rows`, which must outlive them.
  void begin(Draw draw, TopicTotals& totals, DocumentRows& rows);
  // `token_topics` are the topics of the word's tokens, `documents` where those are.
  void sample(WordRow& word, std::span<const std::uint32_t> documents, std::span<std::uint16_t> token_topics,
              Random& random);

 private:
  // The weight in cell_.phi_sum of a topic's phi.
  double weight(std::uint32_t topic) const {
    return cell_.alphas == nullptr ? 1.0 : static_cast<double>(cell_.alphas[topic]);
  }
  void spread(const WordRow& word);
  void collect(WordRow& word);

  SampleCell kernel_;
  Cell cell_{};
  LineVector<float> alphas_;        // of each topic, if they differ
  LineVector<std::uint32_t> word_;  // n_wk of every topic; zeros between cells
  LineVector<float> runs_;
  std::vector<std::uint16_t> appeared_;
  std::vector<std::uint64_t> draws_;
  WordRow new_cells_;
};

}  // namespace rota::lda
