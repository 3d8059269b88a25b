// apps/linear_models/penalty.h -- the penalties of weights, and moves to exactly 0.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "apps/linear_models/settings.h"
#include "rota/pull.h"

namespace rota::linear {

// Moves w towards 0 by `by`, at most to 0.
inline double shrunk(double w, double by) {
  const double size = std::abs(w) - by;
  return size > 0 ? std::copysign(size, w) : 0.0;
}

// After a step of this rate: both penalties of the rows that this row bears.
inline double penalized(double w, double rate, double presence, const Penalties& penalties) {
  if (penalties.l1 > 0) w = shrunk(w, rate * penalties.l1 * presence);
  return penalties.l2 > 0 ? w / (1 + rate * penalties.l2 * presence) : w;
}

// before + change; 0 if the result is within the rounding of the numbers of that many shards.
inline double moved(double before, double change, double shards) {
  const double after = before + change;
  const double rounding = shards * std::numeric_limits<double>::epsilon() * std::abs(before);
  return std::abs(after) <= rounding ? 0 : after;
}

// A pull of the table of the weights.
class WeightsPull : public Pull {
 public:
  WeightsPull(const Settings& settings, std::uint32_t outputs) : outputs_(outputs), common_(settings) {}

  void evaluate(TableId, Key key, std::span<const double> row, Terms terms) const final {
    if (!common_.bears_penalty(key)) return;
    const RowLayout layout = common_.layout(outputs_);
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      const double w = row[k * layout.stride + common_.model_weight(layout)];
      terms["penalty"] += common_.l1 * std::abs(w) + common_.l2 / 2 * w * w;
    }
  }

 protected:
  const std::uint32_t outputs_;

 private:
  const Settings common_;
};

}  // namespace rota::linear
