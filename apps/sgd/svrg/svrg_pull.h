// apps/sgd/svrg/svrg_pull.h -- the snapshots of --optimizer=svrg: what the shards' passes came to, and whether it is
// better than what was.
#pragma once
#include <cstdint>
#include <limits>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/settings.h"
#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/pull.h"

namespace rota::sgd {

// Passes that lead to a larger objective are taken back, and the steps become half as large: so the rate need not be
// right.  A row of the table has for each output the weight, the loss's gradient there, and the weight of the snapshot
// before.
class SvrgPull final : public SavesFields<Pull, SvrgPull> {
 public:
  // `most`: what the gradient at the beginning counts as, at most (most_of_first_gradient()).
  SvrgPull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most)
      : settings_(settings), outputs_(outputs), rows_(static_cast<double>(rows)), most_(most) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId, Key key, std::span<const double> value, std::span<double> terms) const override {
    add_penalty(settings_, key, value, outputs_, terms);
  }

  void fields(auto& list) { list(plan_, first_norm_, objective_); }

 private:
  void gradient(const PullTask& task);
  void move(const PullTask& task);
  void take_back(const PullTask& task);

  Settings settings_;
  std::uint32_t outputs_;
  double rows_, most_;
  Plan plan_;
  double first_norm_ = -1;                                      // of the gradient at the beginning; negative: none yet
  double objective_ = std::numeric_limits<double>::infinity();  // of the last snapshot that was not taken back
};

}  // namespace rota::sgd
