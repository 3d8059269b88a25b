// apps/lasso/by_rows/pull.h -- the third step when shards are ranges of rows: f_4 of figure 6 of the STRADS paper.
#pragma once
#include "apps/lasso/by_rows/block_descent.h"
#include "apps/lasso/by_rows/model.h"
#include "rota/pull.h"

namespace rota::lasso {

class RowsPull final : public Pull {
 public:
  // `staleness` of the job: how many rounds a push may lag.
  RowsPull(const Settings& settings, std::uint32_t staleness) : staleness_(staleness), model_(settings) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId table, Key key, std::span<const double> value, std::span<double> terms) const override;
  void save(Writer& out) const override { model_.save(out); }
  void restore(Reader& in) override { model_.restore(in); }

 private:
  void update(const PullTask& task);

  std::uint32_t staleness_;
  RowsModel model_;
  BlockDescent descent_;
};

}  // namespace rota::lasso
