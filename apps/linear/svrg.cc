// apps/linear/svrg.cc -- --solver=svrg: shards with the gradient of their rows at a snapshot, and passes over
// them from there; and the pull that combines the passes, and discards them if the objective is larger.
//
// The rounds are those of federated SVRG (Konecny, McMahan, Ramage and Richtarik, "Federated optimization: distributed
// machine learning for on-device intelligence", 2016, algorithm 4): all shards begin at one snapshot with the gradient
// of all rows there, make steps on their own rows, whose variance that reduces, and a weight moves by the mean of the
// shards that have the feature.  For a feature that is more or less frequent in a shard than in others, the whole
// gradient is scaled like its own rows: every row bears it for n / n_j rows (steps.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/linear/solvers.h"
#include "apps/linear_models/local_pass.h"

namespace rota::optimum {
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

// Johnson and Zhang, "Accelerating stochastic gradient descent using predictive variance reduction", NIPS 2013.  The
// gradient is given less the row's own at the snapshot, and state[1] is that of all rows there.  A row bears it for
// n / n_j rows, like the penalties; so a step changes only the row's features, and at the optimum every step is 0
// (Pedregosa, Leblond and Lacoste-Julien, "Breaking the nonsmooth barrier", NIPS 2017, section 2).  state[2] is the
// weight of the previous snapshot, for pull.
class SvrgStep {
 public:
  static constexpr std::uint32_t kWidth = 3;
  static constexpr bool kShares = false;
  SvrgStep(const linear::Penalties& penalties, double rate) : penalties_(penalties), rate_(rate) {}

  void begin_row(double) {}
  void operator()(double* state, double gradient, const linear::FeatureScale& scale) const {
    const double rate = rate_ * scale.step;
    const auto presence = static_cast<double>(scale.presence);
    const double rows = presence > 0 ? presence : 1;  // of an unpenalised intercept, which is in every row
    state[0] = linear::penalized(state[0] - rate * (gradient + rows * state[1]), rate, presence, penalties_);
  }

 private:
  linear::Penalties penalties_;
  double rate_;
};

constexpr std::uint32_t kWidth = SvrgStep::kWidth;

// Parts are as wide as a row of the table, plus one.  For a gradient, the sum over the rows is at the position of the
// gradient in the table, after that of the first output is the scale of the feature's steps, then a 1, and the note is
// the sum of the losses.  For passes they are as in tables.h, and the note is 1 if the steps were so large that the
// weights overflowed; then there are no parts.
class SvrgPush final : public SolverPush {
 public:
  SvrgPush(const Settings& settings, linear::ShardData data)
      : SolverPush(settings, std::move(data)), pass_(settings, *all_) {}

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto plan = task.argument.as<Plan>();
    double note = 0;
    if (plan.next == Step::passes) {
      if (slopes_.empty()) find_slopes();
      note = take_passes(plan.rate_share, task.parts, random) ? 0 : 1;
    } else {
      note = find_slopes();
      add_gradient(begin_parts(task.parts));
    }
    write_fields(task.note, std::vector<double>{note});
    return items();
  }

 private:
  // Computes the slopes of the rows with the current weights, into slopes_.  Returns the sum of the losses.
  double find_slopes() {
    slopes_ = linear::links_of(training_.rows, {weights_.numbers(), std::size_t{outputs_} * kWidth, kWidth}, outputs_);
    return linear::with_loss(settings_.loss, outputs_, [&](auto loss) {
      double losses = 0;
      for (std::size_t r = 0; r < training_.rows.size(); ++r)
        losses +=
            training_.weight(r) * loss.slopes(std::span(slopes_).subspan(r * outputs_, outputs_), training_.targets[r]);
      return losses;
    });
  }
  void add_gradient(double* parts) const {
    const std::size_t width = std::size_t{outputs_} * kWidth + 1;
    for (const std::uint32_t key : keys_) {
      parts[key * width + 2] = all_->scales[key].step;
      parts[key * width + width - 1] = 1;
    }
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      const double weight = training_.weight(r);
      for (const linear::Entry& entry : training_.rows[r])
        for (std::uint32_t k = 0; k < outputs_; ++k)
          parts[entry.key * width + k * kWidth + 1] +=
              weight * slopes_[r * outputs_ + k] * static_cast<double>(entry.value);
    }
  }
  // Returns whether the weights have stayed finite.
  bool take_passes(double rate_share, const OpenParts& parts, Random& random) {
    std::vector<std::uint32_t> order;
    for (int i = 0; i < kPasses; ++i) linear::append_pass(training_.rows.size(), random, order);
    const std::span<const double> table = weights_.numbers();
    const double rate = settings_.rate * rate_share / largest_curvature(settings_.loss);
    pass_.run(SvrgStep(settings_, rate), training_, order, 0, table, keys_, slopes_);
    for (const std::uint32_t key : pass_.touched())
      for (const double number : pass_.state(key))
        if (!(std::abs(number) <= kLargestWeight)) return false;
    for (const std::uint32_t key : pass_.touched()) {
      const std::span<double> part = parts[key];
      const std::span<const double> state = pass_.state(key);
      for (std::size_t i = 0; i < state.size(); i += kWidth) part[i] = state[i] - table[key * state.size() + i];
      part.back() = 1;
    }
    return true;
  }

  linear::LocalPass pass_;
  std::vector<double> slopes_;  // row after row, at the last gradient; none in a resumed job
};

constexpr double kRoundingOfLoss = 1e-13;        // of the objective: a smaller increase does not discard passes
constexpr double kLeastShare = 1.0 / (1 << 20);  // of the rate: shorter steps have no effect

// The slope of the objective in a weight; at a corner of L1, the smallest subgradient.
double slope_of(double w, double gradient, double l1, double l2) {
  return w == 0 ? linear::shrunk(gradient, l1) : gradient + l2 * w + std::copysign(l1, w);
}

// Passes that lead to a larger objective are discarded, and the steps are halved, so the rate need not be right.  A row
// of the table has for each output the weight, the loss's gradient there, and the weight of the previous snapshot.
class SvrgPull final : public SolverPull {
 public:
  using SolverPull::SolverPull;

  void pull(const PullTask& task) override {
    if (task.argument.as<Plan>().next == Step::passes)
      move(task);
    else
      gradient(task);
    write_fields(task.reply, plan_);
  }

  void state(Archive& list) override { list(plan_, first_norm_, objective_); }

 private:
  void gradient(const PullTask& task) {
    double squares = 0, penalty = 0;
    for (const PullEntry& entry : task.entries) {
      // In units of the feature's largest value, so that a column's unit does not matter.
      const double scale = entry.sum.back() > 0 ? entry.sum[2] / entry.sum.back() : 1;
      const double by_size = l1(entry.key), by_square = l2(entry.key);
      for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) {
        const double w = entry.value[i];
        entry.value[i + 1] = entry.sum[i + 1] / rows_;
        const double slope = slope_of(w, entry.value[i + 1], by_size, by_square);
        squares += slope * slope * scale;
        penalty += by_size * std::abs(w) + by_square / 2 * w * w;
      }
    }
    const double objective = sum_of_notes(task.notes, 1)[0] / rows_ + penalty, norm = std::sqrt(squares);
    if (!(objective <= objective_ * (1 + kRoundingOfLoss))) {
      for (const PullEntry& entry : task.entries)
        for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) entry.value[i] = entry.value[i + 2];
      return discard(Step::gradient);
    }
    objective_ = objective;
    if (first_norm_ < 0) first_norm_ = std::min(norm, most_);
    plan_.distance = first_norm_ > 0 ? norm / first_norm_ : 0;
    plan_.converged = plan_.distance <= settings_.tolerance;
    plan_.next = Step::passes;
  }
  void move(const PullTask& task) {
    if (sum_of_notes(task.notes, 1)[0] > 0) return discard(Step::closing_gradient);
    plan_.next = Step::closing_gradient;
    for (const PullEntry& entry : task.entries)
      for (std::uint32_t i = 0; i < outputs_ * kWidth; i += kWidth) {
        entry.value[i + 2] = entry.value[i];
        entry.value[i] = linear::moved(entry.value[i], entry.sum[i] / entry.sum.back(), entry.sum.back());
      }
  }
  void discard(Step next) {
    plan_.rate_share /= 2;
    plan_.stuck = plan_.rate_share < kLeastShare;
    plan_.next = next;
  }

  double first_norm_ = -1;                                      // of the gradient at the beginning; negative: none yet
  double objective_ = std::numeric_limits<double>::infinity();  // of the last snapshot that was not discarded
};

}  // namespace

std::unique_ptr<Push> svrg_push(const Settings& settings, linear::ShardData data) {
  return std::make_unique<SvrgPush>(settings, std::move(data));
}

std::unique_ptr<Pull> svrg_pull(const Settings& settings, const Facts& facts) {
  return std::make_unique<SvrgPull>(settings, facts);
}

}  // namespace rota::optimum
