// apps/lasso/solver/descent.cc -- cyclic coordinate descent with Anderson extrapolation, for any
// representation of the gradient.
//
// An Engine keeps the gradient c of the quadratic's smooth part while coefficients change:
//   double gradient(k)                   the current c_k
//   void change(k, by)                   after coefficient k has grown by `by`
//   Parabola along(step)                 the smooth part if all coefficients grew by t `step`, as a function of t
//   void move(t)                         after they did, with the `step` of the last along()
//   kEpochsPerGap                        epochs between two evaluations of the gap: a multiple of Anderson::kDepth
#include "apps/lasso/solver/descent.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "apps/lasso/duality.h"
#include "apps/lasso/penalty.h"
#include "apps/lasso/solver/anderson.h"
#include "apps/lasso/solver/cholesky.h"

namespace rota::lasso {
namespace {

// slope t + curvature/2 t^2
struct Parabola {
  double slope = 0, curvature = 0;
};

template <typename Engine>
class CoordinateDescent {
 public:
  CoordinateDescent(ActiveProblem& problem, Engine& engine) : problem_(problem), engine_(engine) {
    steps_.reserve(problem.coordinates.size());
    value_.reserve(problem.coordinates.size());
    for (const ActiveCoordinate& it : problem.coordinates) {
      const double curvature = it.moments.centred_square;
      steps_.push_back({it.threshold, curvature, 1 / (curvature + it.ridge)});
      value_.push_back(it.coefficient);
    }
  }

  Descent run(double tolerance, std::uint64_t most_epochs) {
    anderson_.restart(value_);
    while (done_.epochs < most_epochs) {
      const double gain = pass();
      ++done_.epochs;
      allowance_ += problem_.epoch_cost / 2;
      anderson_.append(value_);
      const bool look = done_.epochs % Engine::kEpochsPerGap == 0 || done_.epochs == most_epochs || gain == 0;
      if (anderson_.full()) extrapolate();
      if (!look) continue;
      const double objective = look_at_gap();
      // The gain is quadratic in the changes, the gap is not: here only their last digits changed.
      done_.stalled = gain <= 0x1p-104 * objective;
      if (done_.gap <= tolerance || done_.stalled) break;
      if (done_.epochs >= kEpochsBeforeLeaving && 5 * live_ <= 4 * value_.size()) break;
      if (done_.epochs >= kEpochsBeforeStep && allowance_ >= wanted_ && go_to_optimum_of_support())
        anderson_.restart(value_);
    }
    if (done_.epochs == 0) look_at_gap();
    for (std::size_t k = 0; k < value_.size(); ++k) problem_.coordinates[k].coefficient = value_[k];
    return done_;
  }

 private:
  static constexpr std::uint64_t kEpochsBeforeStep = 50;  // signs have mostly settled by then
  static constexpr std::uint64_t kEpochsBeforeLeaving = 20;
  static constexpr double kRounding = 0x1p-48;  // share of a coefficient
  static constexpr double kLongestStep = 4;     // towards an extrapolated point and beyond, in units of its distance

  struct Step {
    double threshold, curvature, inverse;
  };
  enum class Move { none, to_lowest, to_zero };  // to the lowest point of a line; to where a coefficient is 0

  // One cycle.  Returns the sum of curvature * (change)^2: the objective fell by at least half of that.
  double pass() {
    double gain = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step step = steps_[k];
      const double old = value_[k], gradient = engine_.gradient(k);
      if (old == 0 && std::abs(gradient) <= step.threshold) continue;
      const double now = soft_threshold(gradient + step.curvature * old, step.threshold) * step.inverse;
      const double by = now - old;
      if (by == 0) continue;
      value_[k] = now;
      engine_.change(k, by);
      gain += by * by * step.curvature;
    }
    return gain;
  }

  void extrapolate() {
    step_.resize(value_.size());
    if (anderson_.extrapolate(step_)) {
      for (std::size_t k = 0; k < value_.size(); ++k)
        step_[k] = value_[k] * step_[k] > 0 ? step_[k] - value_[k] : -value_[k];
      go_along_step();
    }
    anderson_.restart(value_);
  }

  // Moves along step_ to where the objective is lowest, or where the first coefficient becomes 0.  No coefficient
  // leaves 0 or changes its sign on the way, so the objective is a parabola there.
  Move go_along_step() {
    Parabola along = engine_.along(step_);
    double most = kLongestStep;
    for (std::size_t k = 0; k < value_.size(); ++k) {
      const ActiveCoordinate& it = problem_.coordinates[k];
      if (step_[k] == 0) continue;
      along.slope += std::copysign(it.threshold, value_[k]) * step_[k] + it.ridge * step_[k] * value_[k];
      along.curvature += it.ridge * step_[k] * step_[k];
      if (value_[k] * step_[k] < 0) most = std::min(most, value_[k] / -step_[k]);
    }
    if (!(along.slope < 0)) return Move::none;
    const bool ended = -along.slope < most * along.curvature;
    const double share = ended ? -along.slope / along.curvature : most;
    engine_.move(share);
    for (std::size_t k = 0; k < value_.size(); ++k) {
      // The remainder of a coefficient that becomes 0 is rounding.
      const double moved = value_[k] + share * step_[k];
      value_[k] = value_[k] != 0 && moved / value_[k] < kRounding ? 0 : moved;
    }
    return ended ? Move::to_lowest : Move::to_zero;
  }

  // Solves for the support's optimum; coefficients that become 0 on the way are dropped.  Keeps to the allowance, and
  // waits until it is twice as large if it was too small.  False if nothing moved.
  bool go_to_optimum_of_support() {
    const double had = allowance_;
    bool moved = false;
    for (;;) {
      const double cost = support_step_cost(problem_, support_);
      if (cost > allowance_) {
        wanted_ = std::max(cost, 2 * had);
        return moved;
      }
      allowance_ -= cost;
      const Move move = support_step(problem_, value_, gradient_, step_) ? go_along_step() : Move::none;
      moved = moved || move != Move::none;
      if (move != Move::to_zero) return moved;
      look_at_gap();
    }
  }

  // Returns the objective.
  double look_at_gap() {
    // sum_i h_i r_i^2 = A - sum_k d_k (c_k at the start + c_k now), where d_k is the change of coefficient k.
    double square = problem_.residual_square;
    PenaltyTerms terms;
    gradient_.resize(value_.size());
    support_ = live_ = 0;
    for (std::size_t k = 0; k < value_.size(); ++k) {
      const ActiveCoordinate& it = problem_.coordinates[k];
      const double gradient = engine_.gradient(k), value = value_[k];
      gradient_[k] = gradient;
      if (value != 0) ++support_;
      if (value != 0 || std::abs(gradient) > it.threshold) ++live_;
      const double left = gradient - it.ridge * value;
      square -= (value - it.coefficient) * (it.gradient + gradient);
      terms.l1 += it.threshold * std::abs(value);
      terms.l2 += it.ridge * value * value;
      terms.slope += value * left;
      if (left != 0) terms.ratio = std::max(terms.ratio, std::abs(left) / it.threshold);
    }
    square = std::max(square, 0.0);
    done_.gap = squared_gap(square, terms).gap;
    return square / 2 + terms.l1 + terms.l2 / 2;
  }

  ActiveProblem& problem_;
  Engine& engine_;
  std::vector<Step> steps_;
  std::vector<double> value_, step_;
  std::vector<double> gradient_;  // at the last evaluation of the gap
  std::size_t support_ = 0;       // coefficients that were not 0 then
  std::size_t live_ = 0;          // these, and those that were about to leave 0
  double allowance_ = 0;          // limit for the cost of support steps: half of that of epochs
  double wanted_ = 0;             // allowance required before the next attempt
  Anderson anderson_;
  Descent done_;
};

// Keeps q_i = h_i (residual of row i), never centred.  With an intercept c_k = x_k' q - R m_k / H, where R = sum_i q_i,
// m_k = sum_i h_i x_ik and H = sum_i h_i: sparse columns stay sparse.
class ColumnEngine {
 public:
  static constexpr std::uint64_t kEpochsPerGap = 2 * Anderson::kDepth;  // an evaluation costs half an epoch

  explicit ColumnEngine(const ActiveProblem& problem)
      : problem_(problem),
        q_(problem.g),
        along_(problem.scratch),
        inverse_(problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0),
        same_(same_number(problem.h)) {}

  double gradient(std::size_t k) const {
    const ActiveCoordinate& it = problem_.coordinates[k];
    return problem_.columns->dot(it.column, q_) - mean_ * it.moments.sum;
  }
  void change(std::size_t k, double by) {
    const ActiveCoordinate& it = problem_.coordinates[k];
    if (same_)
      problem_.columns->add_to(it.column, -by * *same_, q_);
    else
      problem_.columns->add_weighted_to(it.column, -by, problem_.h, q_);
    mean_ -= by * it.moments.sum * inverse_;
  }
  Parabola along(std::span<const double> step) {
    std::ranges::fill(along_, 0.0);
    sum_along_ = 0;
    for (std::size_t k = 0; k < step.size(); ++k) {
      const ActiveCoordinate& it = problem_.coordinates[k];
      if (step[k] == 0) continue;
      problem_.columns->add_to(it.column, step[k], along_);
      sum_along_ += step[k] * it.moments.sum;
    }
    double linear = 0, square = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      linear += q_[i] * along_[i];
      square += problem_.h[i] * along_[i] * along_[i];
    }
    return {mean_ * sum_along_ - linear, square - sum_along_ * sum_along_ * inverse_};
  }
  void move(double t) {
    for (std::size_t i = 0; i < q_.size(); ++i) q_[i] -= t * (problem_.h[i] * along_[i]);
    mean_ -= t * sum_along_ * inverse_;
  }

 private:
  static std::optional<double> same_number(std::span<const double> h) {
    for (const double number : h)
      if (number != h[0]) return std::nullopt;
    return h.empty() ? std::nullopt : std::optional(h[0]);
  }

  const ActiveProblem& problem_;
  std::span<double> q_, along_;
  double inverse_;              // 1 / H; without an intercept 0
  std::optional<double> same_;  // h_i, if all are equal
  double mean_ = 0;             // R / H
  double sum_along_ = 0;        // sum_i h_i along_i
};

// Keeps the gradient itself, by products of columns.  With an intercept c_k = u_k - R m_k / H: u is kept by the
// products about 0, which are sparse if the columns are, and R as a separate number (see ColumnEngine).
class GramEngine {
 public:
  static constexpr std::uint64_t kEpochsPerGap = Anderson::kDepth;

  explicit GramEngine(const ActiveProblem& problem) : inverse_(problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0) {
    const std::vector<ActiveCoordinate>& all = problem.coordinates;
    products_.reserve(all.size() * all.size());
    for (const ActiveCoordinate& it : all) {
      u_.push_back(it.gradient);
      sums_.push_back(it.moments.sum);
      for (const ActiveCoordinate& other : all) products_.push_back(problem.gram->product(it.column, other.column));
    }
  }

  double gradient(std::size_t k) const { return u_[k] - mean_ * sums_[k]; }
  void change(std::size_t k, double by) {
    subtract(k, by, u_);
    mean_ -= by * sums_[k] * inverse_;
  }
  Parabola along(std::span<const double> step) {
    along_.assign(u_.size(), 0.0);
    sum_along_ = 0;
    for (std::size_t k = 0; k < step.size(); ++k) {
      if (step[k] == 0) continue;
      subtract(k, step[k], along_);
      sum_along_ += step[k] * sums_[k];
    }
    Parabola parabola{0, -sum_along_ * sum_along_ * inverse_};
    for (std::size_t k = 0; k < step.size(); ++k) {
      parabola.slope -= step[k] * gradient(k);
      parabola.curvature -= step[k] * along_[k];
    }
    return parabola;
  }
  void move(double t) {
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] += t * along_[k];
    mean_ -= t * sum_along_ * inverse_;
  }

 private:
  // from -= by * (row k of the products)
  void subtract(std::size_t k, double by, std::vector<double>& from) const {
    const double* const row = products_.data() + k * from.size();
    double* const to = from.data();
    for (std::size_t e = 0; e < from.size(); ++e) to[e] -= by * row[e];
  }

  std::vector<double> products_;  // by rows
  std::vector<double> u_, sums_;
  std::vector<double> along_;  // minus the products' rows times the step
  double inverse_;             // 1 / H; without an intercept 0
  double mean_ = 0;            // R / H
  double sum_along_ = 0;       // of the step: the decrease of R
};

// Relative increase of the diagonal: if columns depend on one another, the step is long instead of infinite.
constexpr double kRidge = 1e-11;
// Of a step without given products, for the square of the support: the products' triangle, and the system's.
constexpr double kBytesOfSystem = 8;

}  // namespace

Descent descend_on_columns(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs) {
  ColumnEngine engine(problem);
  return CoordinateDescent(problem, engine).run(tolerance, most_epochs);
}

Descent descend_on_gram(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs) {
  GramEngine engine(problem);
  return CoordinateDescent(problem, engine).run(tolerance, most_epochs);
}

double support_step_cost(const ActiveProblem& problem, std::size_t support) {
  const auto size = static_cast<double>(support);
  if (problem.gram == nullptr && kBytesOfSystem * size * size > problem.most_bytes) return HUGE_VAL;
  const double share = size / static_cast<double>(problem.coordinates.size());
  return size * size * (size / 6 + 4) + problem.products_cost * share * share;
}

bool support_step(const ActiveProblem& problem, std::span<const double> values, std::span<const double> gradients,
                  std::vector<double>& step) {
  std::vector<std::uint32_t> places, columns;
  for (std::uint32_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0) continue;
    places.push_back(k);
    columns.push_back(problem.coordinates[k].column);
  }
  if (places.empty()) return false;
  Gram own;
  if (problem.gram == nullptr) {
    own.begin(problem.h);
    own.add(*problem.columns, columns);
  }
  const Gram& gram = problem.gram == nullptr ? own : *problem.gram;
  std::vector<double> system, right;
  system.reserve(places.size() * (places.size() + 1) / 2);
  const double inverse = problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    const ActiveCoordinate& it = problem.coordinates[places[a]];
    const double value = values[places[a]];
    right.push_back(gradients[places[a]] - it.ridge * value - std::copysign(it.threshold, value));
    for (std::size_t b = 0; b < a; ++b)
      system.push_back(gram.product(columns[a], columns[b]) -
                       it.moments.sum * problem.coordinates[places[b]].moments.sum * inverse);
    system.push_back((it.moments.centred_square + it.ridge) * (1 + kRidge));
  }
  if (!solve_definite(places.size(), system, right)) return false;
  step.assign(values.size(), 0.0);
  for (std::size_t a = 0; a < places.size(); ++a) step[places[a]] = right[a];
  return true;
}

}  // namespace rota::lasso
