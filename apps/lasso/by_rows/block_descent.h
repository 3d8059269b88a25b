// apps/lasso/by_rows/block_descent.h -- minimises over the coefficients of a block, from the sums of its parts.
#pragma once
#include <span>
#include <vector>

#include "apps/lasso/by_rows/model.h"
#include "rota/round.h"

namespace rota::lasso {

// Reuses its memory from block to block.
class BlockDescent {
 public:
  // The part of the block's q-th entry is c_j, then G_jk for the q entries before it.  Changes the model's
  // coefficients, not the entries.  `slope`: sum_i g_i, to the extent that the intercept compensates it.
  void minimise(RowsModel& model, std::span<const PullEntry> block, double slope);

 private:
  struct Product {
    std::size_t with;  // place in the block
    double value;      // G_jk
  };
  void collect(const RowsModel& model, std::span<const PullEntry> block, double slope);

  std::vector<double> descents_;  // the slope of the loss along each coefficient, negated
  std::vector<std::vector<Product>> products_;
};

}  // namespace rota::lasso
