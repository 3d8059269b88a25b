// apps/sgd/pull.h -- combines the shards' weights.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "apps/sgd/settings.h"
#include "apps/sgd/steps.h"
#include "apps/sgd/tables.h"
#include "rota/pull.h"

namespace rota::sgd {

// before + change; 0 if the result is within the rounding of the numbers of that many shards.
inline double moved(double before, double change, double shards) {
  const double after = before + change;
  const double rounding = shards * std::numeric_limits<double>::epsilon() * std::abs(before);
  return std::abs(after) <= rounding ? 0 : after;
}

// The move of a row of the table by the shards' parts: see SgdPull.
class RowMove {
 public:
  RowMove(const Settings& settings, std::uint32_t outputs) : settings_(settings), outputs_(outputs) {}

  // `sum` is that of the parts; its last number, above 0, is the number of shards.  `seen` is kSeenAfter of the round.
  void operator()(Key key, std::span<double> row, std::span<const double> sum, double seen) const {
    const bool is_ftrl = settings_.optimizer == Optimizer::ftrl;
    const FtrlStep ftrl(settings_);
    const std::uint32_t width = settings_.state_width();
    const double shards = sum.back();
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      double* const state = row.data() + k * width;
      const double* const change = sum.data() + k * width;
      for (std::uint32_t i = is_ftrl ? 1 : 0; i < width; ++i) state[i] = moved(state[i], change[i] / shards, shards);
      if (is_ftrl) state[0] = ftrl.weight(state, change[0] / shards, bears_penalty(settings_, key) ? seen : 0);
    }
  }

 private:
  Settings settings_;
  std::uint32_t outputs_;
};

// Every number of a feature's row moves by the mean of the moves of the shards that have the feature.  A weight of FTRL
// is computed from its z and n.
class SgdPull final : public Pull {
 public:
  SgdPull(const Settings& settings, std::uint32_t outputs) : settings_(settings), outputs_(outputs) {}

  void pull(const PullTask& task) override {
    const RowMove move(settings_, outputs_);
    for (const PullEntry& entry : task.entries) move(entry.key, entry.value, entry.sum, task.argument[kSeenAfter]);
  }
  void evaluate(TableId, Key key, std::span<const double> value, Terms terms) const override {
    add_penalty(settings_, key, value, outputs_, terms);
  }

 private:
  Settings settings_;
  std::uint32_t outputs_;
};

}  // namespace rota::sgd
