// apps/mf/sgd/pair_pool.h -- the pairs of a visit with --loss=bpr: which items are compared.
//
// If items were compared with those of their own slice alone, items of different slices would not be comparable.  So a
// shard keeps copies of the slices that visited it in this epoch, with their last values, and compares the rows of a
// visiting slice with those, too: for each rating of the cell, another row of all that are here; for ratings of earlier
// cells, in proportion to the visiting slice's share of the rows here, a row of that slice. A step moves all of its
// rows, but changes of a copy stay here, and are dropped when the next epoch begins: a shard has nothing to save.
// Slices with more than kMostRows rows together are not kept.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/mf/sgd/kernels.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"

namespace rota::mf {

// The rows of a slice that the residents of a shard have rated, and the others.
class RatedRows {
 public:
  RatedRows() = default;
  // Of a cell, whose slice has this number of rows.
  RatedRows(std::span<const CellRating> cell, std::uint32_t rows);

  std::uint32_t rows() const { return rows_; }
  // Ascending, each once.
  std::span<const std::uint32_t> of(std::uint32_t resident) const;
  // One of the others, with equal probability; none if there are no others.
  std::optional<std::uint32_t> draw_other(std::uint32_t resident, Random& random) const;

 private:
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> residents_;  // those that have ratings, ascending
  std::vector<std::size_t> ends_;         // of their rows in rated_
  std::vector<std::uint32_t> rated_;
};

using RunPairs = double (*)(const Cell&, std::span<const PairStep>);

class PairPool {
 public:
  static constexpr std::size_t kMostRows = std::size_t{1} << 15;

  // Makes the steps of a cell, from whose ratings `rated` was made, and moves the visiting rows.  Both must outlive the
  // epoch.  Returns the sum of the losses of one step for each rating.
  double visit(const Cell& cell, const RatedRows& rated, Random& random, RunPairs run = run_pairs);
  void begin_epoch();

 private:
  struct Met {
    std::span<const CellRating> ratings;
    const RatedRows* rated;
    std::uint32_t first;  // of its rows among those that are here
  };
  // Of the visiting slice's ratings, and of those of the earlier ones.
  std::vector<PairStep> own_pairs(Random& random) const;
  std::vector<PairStep> pairs_of_others(Random& random) const;
  std::uint32_t rows() const { return met_.empty() ? 0 : met_.back().first + met_.back().rated->rows(); }

  std::vector<Met> met_;  // the visiting slice is the last
  LineVector<float> factors_;
  std::vector<float> tails_;
  std::vector<Penalty> penalties_;
};

}  // namespace rota::mf
