#include "apps/sgd/pull.h"

#include <cmath>
#include <limits>

#include "apps/sgd/steps.h"
#include "apps/sgd/tables.h"

namespace rota::sgd {

double moved(double before, double change, double shards) {
  const double after = before + change;
  const double rounding = shards * std::numeric_limits<double>::epsilon() * std::abs(before);
  return std::abs(after) <= rounding ? 0 : after;
}

void RowMove::operator()(Key key, std::span<double> row, std::span<const double> sum, double seen) const {
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

void SgdPull::pull(const PullTask& task) {
  const RowMove move(settings_, outputs_);
  for (const PullEntry& entry : task.entries) move(entry.key, entry.value, entry.sum, task.argument[kSeenAfter]);
}

void SgdPull::evaluate(TableId, Key key, std::span<const double> value, Terms terms) const {
  add_penalty(settings_, key, value, outputs_, terms);
}

}  // namespace rota::sgd
