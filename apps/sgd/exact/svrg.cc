// apps/sgd/exact/svrg.cc -- --optimizer=svrg: shards with the gradient of their rows at a snapshot, and passes over
// them from there; and the pull that combines the passes, and discards them if the objective is larger.
//
// The rounds are those of federated SVRG (Konecny, McMahan, Ramage and Richtarik, "Federated optimization: distributed
// machine learning for on-device intelligence", 2016, algorithm 4): all shards begin at one snapshot with the gradient
// of all rows there, make steps on their own rows, whose variance that reduces, and a weight moves by the mean of the
// shards that have the feature.  For a feature that is more or less frequent in a shard than in others, the whole
// gradient is scaled like its own rows: every row bears it for n / n_j rows (steps.h).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/linear_models/row_scores.h"
#include "apps/sgd/exact/optimum.h"
#include "apps/sgd/local_pass.h"
#include "apps/sgd/pull.h"
#include "apps/sgd/steps.h"
#include "apps/sgd/tables.h"
#include "rota/fields.h"

namespace rota::sgd {
namespace {

constexpr int kPasses = 3;  // from a snapshot
constexpr double kLargestWeight = 1e100;

// The largest change of a slope with the link: the larger it is, the smaller steps must be.
double largest_curvature(Loss loss) {
  switch (loss) {
    case Loss::squared:
      return 1;
    case Loss::squared_hinge:
      return 2;
    case Loss::softmax:
      return 0.5;
    default:
      return 0.25;
  }
}

// Parts are as wide as a row of the table, plus one.  For a gradient, the sum over the rows is at the position of the
// gradient in the table, after that of the first output is the scale of the feature's steps, then a 1, and the note is
// the sum of the losses.  For passes they are as in tables.h, and the note is 1 if the steps were so large that the
// weights overflowed; then there are no parts.
class SvrgPush final : public RowsPush {
 public:
  SvrgPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out)
      : RowsPush(shard, std::move(all), training, std::move(held_out)),
        pass_(all_->settings, all_->scales, all_->outputs()),
        keys_(keys_of(training_.rows)) {}

  std::uint64_t push(const SharedTask& task, Random& random) override {
    std::vector<double> note;
    if (static_cast<Step>(task.argument[kStep]) == Step::passes) {
      if (slopes_.empty()) find_slopes();
      note = {take_passes(task.argument[kRateShare], task.parts, random) ? 0.0 : 1.0};
    } else {
      note = {find_slopes()};
      add_gradient(begin_parts(task.parts, keys_));
    }
    write_fields(task.note, note);
    return items();
  }

 private:
  // Computes the slopes of the rows with the current weights, into slopes_.  Returns the sum of the losses.
  double find_slopes() {
    const std::uint32_t outputs = all_->outputs();
    slopes_ = linear::links_of(
        training_.rows, {weights_.numbers(), std::size_t{outputs} * SvrgStep::kWidth, SvrgStep::kWidth}, outputs);
    return linear::with_loss(all_->settings.loss, outputs, [&](auto loss) {
      double losses = 0;
      for (std::size_t r = 0; r < training_.rows.size(); ++r) {
        const double weight = training_.weights.empty() ? 1 : training_.weights[r];
        losses += weight * loss.slopes(std::span(slopes_).subspan(r * outputs, outputs), training_.targets[r]);
      }
      return losses;
    });
  }
  void add_gradient(double* parts) const {
    const std::uint32_t outputs = all_->outputs();
    const std::size_t width = std::size_t{outputs} * SvrgStep::kWidth + 1;
    for (const std::uint32_t key : keys_) {
      parts[key * width + 2] = pass_.scale(key).step;
      parts[key * width + width - 1] = 1;
    }
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      const double weight = training_.weights.empty() ? 1 : training_.weights[r];
      for (const Entry& entry : training_.rows[r])
        for (std::uint32_t k = 0; k < outputs; ++k)
          parts[entry.key * width + k * SvrgStep::kWidth + 1] +=
              weight * slopes_[r * outputs + k] * static_cast<double>(entry.value);
    }
  }
  // Returns whether the weights have stayed finite.
  bool take_passes(double rate_share, const OpenParts& parts, Random& random) {
    const Settings& settings = all_->settings;
    std::vector<std::uint32_t> order;
    for (int i = 0; i < kPasses; ++i) append_pass(training_.rows.size(), random, order);
    const std::span<const double> table = weights_.numbers();
    pass_.run_from(slopes_, settings.rate * rate_share / largest_curvature(settings.loss), training_, order, table);
    const auto in_bounds = [&](std::uint32_t key) {
      const std::span<const double> state = pass_.state(key);
      return std::all_of(state.begin(), state.end(), [](double number) { return std::abs(number) <= kLargestWeight; });
    };
    if (!std::all_of(pass_.touched().begin(), pass_.touched().end(), in_bounds)) return false;
    for (const std::uint32_t key : pass_.touched()) {
      const std::span<double> part = parts[key];
      for (std::uint32_t i = 0; i + 1 < part.size(); i += SvrgStep::kWidth)
        part[i] = pass_.state(key)[i] - table[key * (part.size() - 1) + i];
      part.back() = 1;
    }
    return true;
  }

  LocalPass pass_;
  std::vector<std::uint32_t> keys_;  // of the shard's rows
  std::vector<double> slopes_;       // row after row, at the last gradient; none in a resumed job
};

constexpr std::uint32_t kWidth = SvrgStep::kWidth;
constexpr double kRoundingOfLoss = 1e-13;        // of the objective: a smaller increase does not discard passes
constexpr double kLeastShare = 1.0 / (1 << 20);  // of the rate: shorter steps have no effect

// The slope of the objective in a weight; at a corner of L1, the smallest subgradient.
double slope_of(double w, double gradient, double l1, double l2) {
  return w == 0 ? shrunk(gradient, l1) : gradient + l2 * w + std::copysign(l1, w);
}

// Passes that lead to a larger objective are discarded, and the steps are halved, so the rate need not be right.  A row
// of the table has for each output the weight, the loss's gradient there, and the weight of the previous snapshot.
class SvrgPull final : public Pull {
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

  void state(Archive& list) override { list(plan_, first_norm_, objective_); }

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

std::unique_ptr<Push> svrg_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                ShardRows held_out) {
  return std::make_unique<SvrgPush>(shard, std::move(all), training, std::move(held_out));
}

std::unique_ptr<Pull> svrg_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most) {
  return std::make_unique<SvrgPull>(settings, outputs, rows, most);
}

}  // namespace rota::sgd
