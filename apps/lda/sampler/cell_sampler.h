// apps/lda/sampler/cell_sampler.h -- draws new topics for the tokens of words in one shard; a word's are a cell.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/topic_totals.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"

namespace rota::lda {

class CellSampler {
 public:
  // `side_by_side`: two cells at a time (cell_kernel.h) even if n_k is updated within the task, so that it lacks one
  // token.  Otherwise it takes a third longer.
  CellSampler(const Priors& priors, bool side_by_side);

  // Not between begin() and finish().
  void set_priors(const Priors& priors);

  // Begins a task: the cells up to finish() share `totals` and `rows`, which must outlive them.
  void begin(Draw draw, TopicTotals& totals, DocumentRows& rows);
  // `token_topics` are the topics of the word's tokens, `documents` their documents, which are followed in memory by
  // `following` more, of the words that are probably next, so that prefetching does not stop at the end of a cell.  All
  // arguments must stay where they are until finish().
  void add(WordRow& word, std::span<const std::uint32_t> documents, std::span<std::uint16_t> token_topics,
           Random& random, std::size_t following = 0);
  // Draws the rest of the cells.
  void finish();

 private:
  // A cell; reused for one after the other.
  struct Drawing {
    WordRow* word = nullptr;  // null: idle
    std::span<const std::uint32_t> documents;
    std::span<std::uint16_t> token_topics;
    Random* random = nullptr;
    std::size_t following = 0;
    std::size_t done = 0, ready = 0;  // tokens: drawn, and those that a random number was drawn for

    LineVector<float> phi;  // of side 1; side 0 has that of the totals
    std::vector<double> phi_blocks;
    LineVector<std::uint32_t> counts;  // n_wk of every topic; zeros between cells
    LineVector<float> runs;
    std::vector<std::uint16_t> appeared;
    std::vector<std::uint16_t> topics, places;  // of a listed word
    LineVector<float> weights;
    std::uint32_t run_blocks = 0;  // of `runs`, not infinite
    std::vector<std::uint64_t> draws;
  };

  // Draws until one of the cells is complete.
  void run();
  // The weight in phi_sum of a topic's phi.
  double weight(std::uint32_t topic) const {
    return cell_.alphas == nullptr ? 1.0 : static_cast<double>(cell_.alphas[topic]);
  }
  void spread(std::size_t s);
  void collect(std::size_t s);
  template <typename Update>
  void collect(std::size_t s, Update&& refresh);

  SampleCell kernel_;
  bool side_by_side_;
  Cell cell_{};
  LineVector<float> alphas_;  // of each topic, if they differ
  Drawing drawings_[2];       // of the sides
  LineVector<float> row_runs_;
  std::uint64_t commits_ = 0;            // of the totals at the last task's beginning
  double sum_at_first_ = 0;              // the sides' phi_sum at its beginning
  std::vector<double> blocks_at_first_;  // and their phi_blocks
  WordRow new_cells_;
};

}  // namespace rota::lda
