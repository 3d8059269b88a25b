// apps/sgd/svrg/svrg_pull.h -- the snapshots of --optimizer=svrg: combines the shards' passes, and discards them if the
// objective is larger.
#pragma once
#include <cstdint>
#include <limits>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/settings.h"
#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/pull.h"

namespace rota::sgd {

// Passes that lead to a larger objective are discarded, and the steps are halved, so the rate need not be right.  A row
// of the table has for each output the weight, the loss's gradient there, and the weight of the previous snapshot.
class SvrgPull final : public SavesFields<Pull, SvrgPull> {
 public:
  // `most`: an upper limit for the gradient at the beginning (most_of_first_gradient()).
  SvrgPull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most)
      : settings_(settings), outputs_(outputs), rows_(static_cast<double>(rows)), most_(most) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId, Key key, std::span<const double> value, Terms terms) const override {
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
  double objective_ = std::numeric_limits<double>::infinity();  // of the last snapshot that was not discarded
};

}  // namespace rota::sgd
