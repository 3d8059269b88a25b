// apps/sgd/pull.h -- combines the shards' weights.
//
// A shard's part of a row of the table is the move of each number by the steps on its own rows, and after these a 1, so
// that pull can take the mean over the shards that have the feature.  With --optimizer=ftrl the scale of the feature's
// steps replaces the weight's move.
#pragma once
#include <cstdint>
#include <span>

#include "apps/sgd/settings.h"
#include "apps/sgd/steps.h"

namespace rota::sgd {

// A round's argument.
struct RoundOfSteps {
  std::uint64_t number = 0;  // of the job, from 0
  std::uint64_t rounds = 1;  // of an epoch
  // Rows that a shard sees in a round, on average; and that it has seen before the job.
  double rows = 0, before = 0;

  std::uint64_t at() const { return number % rounds; }  // of the epoch, from 0
  double seen() const { return before + rows * static_cast<double>(number); }
  double seen_after() const { return before + rows * static_cast<double>(number + 1); }
  void fields(auto& list) { list(number, rounds, rows, before); }
};

// The move of a row of the table by the shards' parts: every number of a feature's row moves by the mean of the moves
// of the shards that have the feature.  A weight of FTRL is computed from its z and n.
class RowMove {
 public:
  RowMove(const Settings& settings, const StepSettings& steps)
      : is_ftrl_(settings.optimizer == Optimizer::ftrl),
        penalizes_intercept_(settings.penalized_intercept),
        width_(settings.state_width),
        ftrl_(steps, {}) {}

  // `sum` is that of the parts; its last number, above 0, is the number of shards.  `seen` is RoundOfSteps::seen_after.
  void operator()(Key key, std::span<double> row, std::span<const double> sum, double seen) const {
    const double shards = sum.back(), rows = key != linear::kIntercept || penalizes_intercept_ ? seen : 0;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = linear::moved(row[i], sum[i] / shards, shards);
    for (std::size_t i = 0; is_ftrl_ && i < row.size(); i += width_)
      row[i] = ftrl_.weight(row.data() + i, sum[i] / shards, rows);
  }

 private:
  bool is_ftrl_, penalizes_intercept_;
  std::uint32_t width_;
  FtrlStep ftrl_;
};

class SgdPull final : public linear::WeightsPull {
 public:
  SgdPull(const Settings& settings, const StepSettings& steps, std::uint32_t outputs)
      : WeightsPull(settings, outputs), move_(settings, steps) {}

  void pull(const PullTask& task) override {
    const double seen = task.argument.as<RoundOfSteps>().seen_after();
    for (const PullEntry& entry : task.entries) move_(entry.key, entry.value, entry.sum, seen);
  }

 private:
  RowMove move_;
};

}  // namespace rota::sgd
