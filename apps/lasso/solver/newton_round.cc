// apps/lasso/solver/newton_round.cc -- the logistic loss of a ReducedProblem: proximal Newton steps.
//
// A step minimises the loss's second-order expansion, plus the penalty, by coordinate descent on the active columns
// (Lee, Sun and Saunders, "Proximal Newton-type methods for minimizing composite functions", SIAM J.  Optim.  2014),
// and moves towards that point as far as the objective falls in proportion.  After every step the intercept is
// optimised, so that the gradients sum to 0.
#include <algorithm>
#include <cmath>

#include "apps/lasso/solver/reduced_problem.h"
#include "apps/linear_models/logistic_loss.h"
#include "apps/linear_models/logistic_rows.h"
#include "apps/linear_models/ordered_sum.h"

namespace rota::lasso {

using namespace linear;
namespace {

// The least second derivative of a row, as a share of its weight: a step towards rows that are already far on their
// correct side stays finite.
constexpr double kLeastCurvature = 1e-10;
// The largest relative difference of the curvatures along a step for which the kept ones are used again: the error of a
// step with them is about this share of the step.
constexpr double kBendsAlike = 0.2;
// Share of the expected decrease of the objective that a step must reach (Armijo), the share of the objective that
// rounding may hide, and how often a step is halved.
constexpr double kLeastFall = 1e-4, kRounding = 1e-15;
// A decrease below this share of the objective is lost in rounding if fitted values are far from 0: the step is
// accepted.
constexpr double kUnseen = 1e-14;
constexpr int kMostHalvings = 40;
// The intercept's own Newton steps, and the longest one.
constexpr int kMostInterceptSteps = 60;
constexpr double kLongestInterceptStep = 8;
// The intercept is found when the gradients' sum is this share of the sum of their sizes, which is rounding; or when
// their sizes are negligible, as for rows of one class.
constexpr double kInterceptError = 0x1p-51, kLeastGradient = 1e-18;

}  // namespace

// Losses, gradients and curvatures of the rows at f = fitted_ + intercept.
void ReducedProblem::compute_slopes(double intercept) {
  logistic_rows(y_, fitted_, intercept, {row_losses_, p_, rest_});
  for (std::size_t i = 0; i < y_.size(); ++i) {
    gradient_[i] = w_[i] * y_[i] * p_[i];
    curvature_[i] = w_[i] * larger(p_[i] * rest_[i], kLeastCurvature);
  }
}

// The sum of gradients falls as the intercept grows; Newton's method within the bracket found so far.  REQUIRES:
// fitted_ does not include the intercept yet.
void ReducedProblem::fit_logistic_intercept() {
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (int step = 0; step < kMostInterceptSteps; ++step) {
    compute_slopes(intercept_);
    const double sum = chunked_sum(y_.size(), [&](std::size_t i) { return gradient_[i]; });
    const double size = chunked_sum(y_.size(), [&](std::size_t i) { return std::abs(gradient_[i]); });
    if (std::abs(sum) <= kInterceptError * size || size < kLeastGradient) return;
    (sum > 0 ? low : high) = intercept_;
    const double by = sum / chunked_sum(y_.size(), [&](std::size_t i) { return curvature_[i]; });
    double next = intercept_ + std::clamp(by, -kLongestInterceptStep, kLongestInterceptStep);
    if (next <= low || next >= high) next = std::isfinite(low + high) ? low + (high - low) / 2 : intercept_;
    if (next == intercept_) return;
    intercept_ = next;
  }
  compute_slopes(intercept_);
}

void ReducedProblem::forget_curvature() {
  kept_curvature_.clear();
  kept_moments_.clear();
}

// Computes what depends on kept_curvature_.
void ReducedProblem::keep_curvature() {
  const std::span<const double> h = kept_curvature_;
  sum_of_kept_ = chunked_sum(h.size(), [&](std::size_t i) { return h[i]; });
  kept_moments_.clear();
  gram_.begin(h);
  columns_work_ = 0;
}

Moments ReducedProblem::moments_of_kept(std::uint32_t j) {
  if (kept_moments_.size() <= j) kept_moments_.resize(columns_.size(), {0, -1});
  Moments& moments = kept_moments_[j];
  if (moments.centred_square < 0) moments = columns_.moments(j, kept_curvature_, sum_of_kept_, has_intercept_);
  return moments;
}

// Whether the kept curvatures are near the current ones along the last step.
bool ReducedProblem::bends_alike(std::span<const double> fitted_before) const {
  double kept = 0, now = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double step = fitted_[i] - fitted_before[i];
    kept += kept_curvature_[i] * step * step;
    now += curvature_[i] * step * step;
  }
  return std::abs(now - kept) <= kBendsAlike * kept;
}

bool ReducedProblem::newton_round(const Penalty& penalty, const Look& at, double tolerance) {
  const bool fresh = kept_curvature_.empty();
  if (fresh) {
    kept_curvature_ = curvature_;
    keep_curvature();
  }
  const std::span<const double> h = kept_curvature_;
  const double square =
      chunked_sum(h.size(), [&](std::size_t i) { return h[i] > 0 ? gradient_[i] / h[i] * gradient_[i] : 0; });
  ActiveProblem problem{&columns_, h, gradient_, has_intercept_ ? sum_of_kept_ : 0, square, {}};
  for (ActiveCoordinate it : active_coordinates(penalty, at)) {
    it.moments = moments_of_kept(it.column);
    if (it.moments.centred_square > 0) problem.coordinates.push_back(it);
  }
  const std::vector<double> fitted_before = fitted_;
  const bool gained = descend(problem, tolerance);
  const bool moved = step_towards(penalty, problem);
  if (!moved || !bends_alike(fitted_before)) forget_curvature();
  return (moved && gained) || !fresh;
}

// Moves from the current coefficients towards those of the solved expansion.  False if no step lowers the objective.
bool ReducedProblem::step_towards(const Penalty& penalty, const ActiveProblem& problem) {
  const double before = objective(penalty), intercept = intercept_;
  std::vector<double> from;
  double fall = 0, intercept_step = 0;  // `fall`: of the objective, to first order
  for (const ActiveCoordinate& it : problem.coordinates) {
    const double old = coefficients_[it.column], by = it.coefficient - old, scale = columns_.scale(it.column);
    from.push_back(old);
    fall += by * it.gradient + penalty_of(penalty, scale, old) - penalty_of(penalty, scale, it.coefficient);
    if (has_intercept_) intercept_step -= by * it.moments.sum / problem.sum_of_h;
  }
  // Near the optimum the fall is less than the rounding of its parts.
  double share = fall > -kRounding * before ? 1 : 0;
  for (int halving = 0; share > 0 && halving <= kMostHalvings; ++halving, share /= 2) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      const ActiveCoordinate& it = problem.coordinates[k];
      coefficients_[it.column] = share == 1 ? it.coefficient : from[k] + share * (it.coefficient - from[k]);
    }
    intercept_ = intercept + share * intercept_step;
    refresh();
    const double most = before - kLeastFall * share * fall + kRounding * before;
    if (fall <= kUnseen * before || objective(penalty) <= most) return true;
  }
  for (std::size_t k = 0; k < from.size(); ++k) coefficients_[problem.coordinates[k].column] = from[k];
  intercept_ = intercept;
  refresh();
  return false;
}

}  // namespace rota::lasso
