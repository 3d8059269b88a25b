// apps/lasso/by_rows/push.h -- the second step when shards are ranges of rows: f_3 of figure 6 of the STRADS paper.
#pragma once
#include "apps/lasso/by_rows/block_dots.h"
#include "apps/lasso/by_rows/fit.h"
#include "rota/push.h"

namespace rota::lasso {

class RowsPush final : public SharedPush {
 public:
  RowsPush(const Settings& settings, RowShardData data) : fit_(settings, std::move(data)), dots_(fit_.matrix()) {}

  std::uint64_t items() const override { return fit_.matrix().entries(); }
  std::uint64_t push(const SharedTask& task, Random&) override;
  void refresh(const Commit& commit) override;
  void evaluate(Terms terms) const override { terms[kLossTerm] += fit_.loss(); }
  void save(Writer& out) const override { fit_.save(out); }
  void restore(Reader& in) override { fit_.restore(in); }
  bool restores_in_place() const override { return true; }

 private:
  std::uint64_t update(const SharedTask& task);

  RowsFit fit_;
  BlockDots dots_;
};

}  // namespace rota::lasso
