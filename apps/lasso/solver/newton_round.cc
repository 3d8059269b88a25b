// apps/lasso/solver/newton_round.cc -- the logistic loss of a ReducedProblem: proximal Newton steps.
//
// A step minimises the loss's second-order expansion, plus the penalty, by coordinate descent on the active columns
// (Lee, Sun and Saunders, "Proximal Newton-type methods for minimizing composite functions", SIAM J. Optim. 2014), and
// goes as far towards that point as lowers the objective in proportion.  After every step the intercept is made the
// best one, so that the gradients sum up to 0.
#include <algorithm>
#include <cmath>

#include "apps/lasso/solver/reduced_problem.h"
#include "apps/linear/logistic_loss.h"
#include "apps/linear/ordered_sum.h"

namespace rota::lasso {

using namespace linear;
namespace {

// Share of a row's weight that its second derivative counts at least: a step towards rows that are already far on
// their right side stays finite.
constexpr double kLeastCurvature = 1e-10;
// Share of the expected fall of the objective that is asked of a step (Armijo), what rounding may hide of it as a
// share of the objective, and how often a step is halved.
constexpr double kLeastFall = 1e-4, kRounding = 1e-15;
constexpr int kMostHalvings = 40;
// The intercept's own Newton steps, and how long one may be.
constexpr int kMostInterceptSteps = 60;
constexpr double kLongestInterceptStep = 8;
// The intercept is found when the gradients' sum is this share of the sum of their sizes, which is rounding; or when
// their sizes have nothing left that could matter, as for rows of one class.
constexpr double kInterceptError = 0x1p-51, kLeastGradient = 1e-18;

struct Rows {
  std::size_t count;
  const double *y, *w, *fitted;
};

// The arrays do not overlap: the compiler can vectorise.
void compute_rows_of(const Rows& rows, double intercept, double* __restrict losses, double* __restrict gradient,
                     double* __restrict curvature) {
  const double* const __restrict y = rows.y, * const __restrict w = rows.w, * const __restrict fitted = rows.fitted;
  for (std::size_t i = 0, count = rows.count; i < count; ++i) {
    const LogisticRow row = logistic_row(y[i] * (fitted[i] + intercept));
    losses[i] = row.loss;
    gradient[i] = w[i] * y[i] * row.p;
    curvature[i] = w[i] * larger(row.p * row.rest, kLeastCurvature);
  }
}

}  // namespace

// What rows have at f = fitted_ + intercept: losses, gradients and curvatures.
void ReducedProblem::compute_slopes(double intercept) {
  compute_rows_of({y_.size(), y_.data(), w_.data(), fitted_.data()}, intercept, row_losses_.data(), gradient_.data(),
                  curvature_.data());
}

// The sum of gradients falls as the intercept grows; Newton's method within the bracket that it has seen.  For
// fitted_ that is still without the intercept.
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

bool ReducedProblem::newton_round(const Penalty& penalty, const Look& at, double tolerance, const SolveLimits& limits,
                                  SolveStatistics& statistics) {
  const std::span<const double> h = curvature_;
  const double sum_of_h = chunked_sum(h.size(), [&](std::size_t i) { return h[i]; });
  const double square =
      chunked_sum(h.size(), [&](std::size_t i) { return h[i] > 0 ? gradient_[i] / h[i] * gradient_[i] : 0; });
  ActiveProblem problem{&columns_, h, gradient_, has_intercept_ ? sum_of_h : 0, square, {}};
  for (ActiveCoordinate it : active_coordinates(penalty, at)) {
    it.moments = columns_.moments(it.column, h, sum_of_h, has_intercept_);
    if (it.moments.centred_square > 0) problem.coordinates.push_back(it);
  }
  Gram gram;
  gram.begin(h);
  const bool gained = descend(problem, gram, tolerance, limits, statistics);
  return step_towards(penalty, problem) && gained;
}

// Goes from the present coefficients towards those of the solved expansion.  False if there is no way to go.
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
    if (objective(penalty) <= before - kLeastFall * share * fall + kRounding * before) return true;
  }
  for (std::size_t k = 0; k < from.size(); ++k) coefficients_[problem.coordinates[k].column] = from[k];
  intercept_ = intercept;
  refresh();
  return false;
}

}  // namespace rota::lasso
