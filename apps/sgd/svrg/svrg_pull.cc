#include "apps/sgd/svrg/svrg_pull.h"

#include <algorithm>
#include <cmath>

#include "apps/sgd/pull.h"
#include "apps/sgd/steps.h"

namespace rota::sgd {
namespace {

constexpr std::uint32_t kWidth = SvrgStep::kWidth;
constexpr double kRounding = 1e-13;              // of the objective: a smaller increase does not discard passes
constexpr double kLeastShare = 1.0 / (1 << 20);  // of the rate: shorter steps have no effect

// The slope of the objective in a weight; at a corner of L1, the smallest subgradient.
double slope_of(double w, double gradient, double l1, double l2) {
  return w == 0 ? shrunk(gradient, l1) : gradient + l2 * w + std::copysign(l1, w);
}

}  // namespace

void SvrgPull::pull(const PullTask& task) {
  if (static_cast<Step>(task.argument[kStep]) == Step::passes)
    move(task);
  else
    gradient(task);
  write_fields(task.reply, plan_);
}

void SvrgPull::gradient(const PullTask& task) {
  double squares = 0, penalty = 0;
  for (const PullEntry& entry : task.entries) {
    const bool bears = bears_penalty(settings_, entry.key);
    // In units of the feature's largest value, so that a column's unit does not matter.
    const double scale = entry.sum.back() > 0 ? entry.sum[2] / entry.sum.back() : 1;
    const double l1 = bears ? settings_.l1 : 0, l2 = bears ? settings_.l2 : 0;
    for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) {
      const double w = entry.value[i];
      entry.value[i + 1] = entry.sum[i + 1] / rows_;
      const double slope = slope_of(w, entry.value[i + 1], l1, l2);
      squares += slope * slope * scale;
      penalty += l1 * std::abs(w) + l2 / 2 * w * w;
    }
  }
  const double objective = sum_of_notes(task.notes, 1)[0] / rows_ + penalty, norm = std::sqrt(squares);
  if (!(objective <= objective_ * (1 + kRounding))) return take_back(task);
  objective_ = objective;
  if (first_norm_ < 0) first_norm_ = std::min(norm, most_);
  plan_.distance = first_norm_ > 0 ? norm / first_norm_ : 0;
  plan_.converged = plan_.distance <= settings_.tolerance;
  plan_.next = Step::passes;
}

void SvrgPull::take_back(const PullTask& task) {
  for (const PullEntry& entry : task.entries)
    for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) entry.value[i] = entry.value[i + 2];
  plan_.rate_share /= 2;
  plan_.stuck = plan_.rate_share < kLeastShare;
  plan_.next = Step::gradient;
}

void SvrgPull::move(const PullTask& task) {
  plan_.next = Step::closing_gradient;
  if (sum_of_notes(task.notes, 1)[0] > 0) {
    plan_.rate_share /= 2;
    plan_.stuck = plan_.rate_share < kLeastShare;
    return;
  }
  for (const PullEntry& entry : task.entries)
    for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) {
      entry.value[i + 2] = entry.value[i];
      entry.value[i] = moved(entry.value[i], entry.sum[i] / entry.sum.back(), entry.sum.back());
    }
}

}  // namespace rota::sgd
