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
#include <span>
#include <vector>

#include "apps/mf/kernels.h"
#include "apps/mf/sgd/rated_rows.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"

namespace rota::mf {

class PairPool {
 public:
  static constexpr std::size_t kMostRows = std::size_t{1} << 15;

  // Makes the steps of a cell, from whose ratings `rated` was made, and moves the visiting rows.  Both must outlive the
  // epoch.  Returns the sum of the losses of one step for each rating.
  double visit(const Cell& cell, const RatedRows& rated, RunPairs run, Random& random);
  void begin_epoch();

 private:
  struct Met {
    std::span<const CellRating> ratings;
    const RatedRows* rated;
    std::uint32_t first;  // of its rows among those that are here
  };
  void take_in(const Cell& cell, const RatedRows& rated);
  std::vector<PairStep> own_pairs(Random& random) const;
  std::vector<PairStep> pairs_of_others(Random& random) const;
  std::uint32_t rows() const { return met_.empty() ? 0 : met_.back().first + met_.back().rated->rows(); }

  std::vector<Met> met_;  // the visiting slice is the last
  LineVector<float> factors_;
  std::vector<float> tails_;
  std::vector<Penalty> penalties_;
};

}  // namespace rota::mf
