// apps/lasso/by_rows/pull.h -- the third step when shards are ranges of rows: f_4 of figure 6 of the STRADS paper.
#pragma once
#include <span>
#include <vector>

#include "apps/lasso/by_rows/model.h"
#include "rota/fields.h"
#include "rota/pull.h"

namespace rota::lasso {

// Minimises over the coefficients of a block, from the sums of its parts.  Reuses its memory from block to block.
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

class RowsPull final : public SavesFields<Pull, RowsPull> {
 public:
  // `staleness` of the job: how many rounds a push may lag.
  RowsPull(const Settings& settings, std::uint32_t staleness) : staleness_(staleness), model_(settings) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const override;
  void fields(auto& list) { list(model_); }

 private:
  void update(const PullTask& task);

  std::uint32_t staleness_;
  RowsModel model_;
  BlockDescent descent_;
};

}  // namespace rota::lasso
