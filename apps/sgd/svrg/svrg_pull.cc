#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "apps/sgd/pull.h"
#include "apps/sgd/steps.h"
#include "apps/sgd/svrg/svrg.h"
#include "apps/sgd/tables.h"
#include "rota/fields.h"

namespace rota::sgd {
namespace {

constexpr std::uint32_t kWidth = SvrgStep::kWidth;
constexpr double kRoundingOfLoss = 1e-13;        // of the objective: a smaller increase does not discard passes
constexpr double kLeastShare = 1.0 / (1 << 20);  // of the rate: shorter steps have no effect

// The slope of the objective in a weight; at a corner of L1, the smallest subgradient.
double slope_of(double w, double gradient, double l1, double l2) {
  return w == 0 ? shrunk(gradient, l1) : gradient + l2 * w + std::copysign(l1, w);
}

// Passes that lead to a larger objective are discarded, and the steps are halved, so the rate need not be right.  A row
// of the table has for each output the weight, the loss's gradient there, and the weight of the previous snapshot.
class SvrgPull final : public SavesFields<Pull, SvrgPull> {
 public:
  // `most`: an upper limit for the gradient at the beginning (most_of_first_gradient()).
  SvrgPull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most)
      : settings_(settings), outputs_(outputs), rows_(static_cast<double>(rows)), most_(most) {}

  void pull(const PullTask& task) override {
    if (static_cast<Step>(task.argument[kStep]) == Step::passes)
      move(task);
    else
      gradient(task);
    write_fields(task.reply, plan_);
  }
  void evaluate(TableId, Key key, std::span<const double> value, Terms terms) const override {
    add_penalty(settings_, key, value, outputs_, terms);
  }

  void fields(auto& list) { list(plan_, first_norm_, objective_); }

 private:
  void gradient(const PullTask& task) {
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
    if (!(objective <= objective_ * (1 + kRoundingOfLoss))) return take_back(task);
    objective_ = objective;
    if (first_norm_ < 0) first_norm_ = std::min(norm, most_);
    plan_.distance = first_norm_ > 0 ? norm / first_norm_ : 0;
    plan_.converged = plan_.distance <= settings_.tolerance;
    plan_.next = Step::passes;
  }
  void move(const PullTask& task) {
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
  void take_back(const PullTask& task) {
    for (const PullEntry& entry : task.entries)
      for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) entry.value[i] = entry.value[i + 2];
    plan_.rate_share /= 2;
    plan_.stuck = plan_.rate_share < kLeastShare;
    plan_.next = Step::gradient;
  }

  Settings settings_;
  std::uint32_t outputs_;
  double rows_, most_;
  Plan plan_;
  double first_norm_ = -1;                                      // of the gradient at the beginning; negative: none yet
  double objective_ = std::numeric_limits<double>::infinity();  // of the last snapshot that was not discarded
};

}  // namespace

std::unique_ptr<Pull> svrg_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most) {
  return std::make_unique<SvrgPull>(settings, outputs, rows, most);
}

}  // namespace rota::sgd
