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
// The largest relative difference of the rows' curvatures, along a step, from the kept ones times one scale, for which
// those are used again.
constexpr double kBendsAlike = 0.35;
// Share of the expected decrease of the objective that a step must reach (Armijo), the share of the objective that
// rounding may hide, and how often a step is halved.
constexpr double kLeastFall = 1e-4, kRounding = 1e-15;
// A decrease below this share of the objective is lost in rounding if fitted values are far from 0: the step is
// accepted.
constexpr double kUnseen = 1e-14;
constexpr int kMostHalvings = 40;
// A step that lowers the objective by more than this share of it is far from the optimum: it may be stretched.
constexpr double kFarFall = 1e-4;
// A step is stretched by at most the first number of its length, and only if the objective's slope at its end promises
// the second one; until this share of that slope is left.
constexpr double kLongestStretch = 8, kLeastStretch = 0.1, kSlopeLeft = 0.1;
constexpr int kMostStretches = 8;
constexpr double kRoundingOfZero = 0x1p-48;  // share of a coefficient that is left when it becomes 0
// The intercept's own Newton steps, and the longest one.
constexpr int kMostInterceptSteps = 60;
constexpr double kLongestInterceptStep = 8;
// The intercept is found when the gradients' sum is this share of the sum of their sizes, which is rounding; or when
// their sizes are negligible, as for rows of one class.
constexpr double kInterceptError = 0x1p-51, kLeastGradient = 1e-18;

}  // namespace

// The loss, and gradients and curvatures of the rows, at these f + shift.  The loss is summed as chunked_sum() does.
void ReducedProblem::compute_slopes(std::span<const double> fitted, double shift) {
  double losses[kSumChunk];
  loss_ = 0;
  for (std::size_t at = 0; at < y_.size(); at += kSumChunk) {
    const std::size_t size = std::min(kSumChunk, y_.size() - at);
    logistic_rows(y_.subspan(at, size), fitted.subspan(at, size), shift,
                  {std::span(losses).first(size), p_.subspan(at, size), rest_.subspan(at, size)});
    for (std::size_t i = 0; i < size; ++i) losses[i] *= w_[at + i];
    loss_ += ordered_sum(size, [&](std::size_t i) { return losses[i]; });
  }
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
    compute_slopes(fitted_, intercept_);
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
  compute_slopes(fitted_, intercept_);
}

void ReducedProblem::forget_curvature() {
  keeps_curvature_ = false;
  kept_moments_.clear();
  curvature_scale_ = 1;
}

// Computes what depends on kept_curvature_.
void ReducedProblem::keep_curvature() {
  const std::span<const double> h = kept_curvature_;
  keeps_curvature_ = true;
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

// Scales the kept curvatures so that they fit the current ones along the last step.  False if single rows differ too
// much.
bool ReducedProblem::bends_alike() {
  double kept = 0, now = 0, apart = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double step = fitted_[i] - fitted_before_[i];
    kept += kept_curvature_[i] * step * step;
    now += curvature_[i] * step * step;
  }
  const double scale = now / kept;
  if (!(scale > 0) || !std::isfinite(scale)) return false;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double step = fitted_[i] - fitted_before_[i];
    apart += std::abs(curvature_[i] - scale * kept_curvature_[i]) * step * step;
  }
  curvature_scale_ = scale;
  return apart <= kBendsAlike * now;
}

// The expansion is divided by the scale of the curvatures, so that products under the kept ones serve it.
bool ReducedProblem::newton_round(const Penalty& penalty, const Look& at, double tolerance) {
  const bool fresh = !keeps_curvature_;
  if (fresh) {
    std::ranges::copy(curvature_, kept_curvature_.begin());
    keep_curvature();
  }
  const double inverse = 1 / curvature_scale_;
  const std::span<const double> h = kept_curvature_;
  const std::span<double> g = gradient_;  // until refresh() it is scaled
  for (double& one : g) one *= inverse;
  const double square = chunked_sum(h.size(), [&](std::size_t i) { return h[i] > 0 ? g[i] / h[i] * g[i] : 0; });
  ActiveProblem problem{
      &columns_, h, g, scratch_, has_intercept_ ? sum_of_kept_ : 0, square, active_coordinates(penalty, at)};
  for (ActiveCoordinate& it : problem.coordinates) {
    it.moments = moments_of_kept(it.column);
    it.gradient *= inverse;
    it.threshold *= inverse;
    it.ridge *= inverse;
  }
  std::erase_if(problem.coordinates, [](const ActiveCoordinate& it) { return !(it.moments.centred_square > 0); });
  std::ranges::copy(fitted_, fitted_before_.begin());
  const std::vector<double> from = coefficients_;
  const double before = objective(penalty);
  const bool gained = descend(problem, tolerance * inverse);
  const bool moved = step_towards(penalty, problem, at);
  if (moved && before - objective(penalty) > kFarFall * before) stretch_step(penalty, from);
  if (!moved || !bends_alike()) forget_curvature();
  return (moved && gained) || !fresh;
}

// Far from the optimum a step is too short, because curvatures fall on the way.  Moves further in its direction, to
// where the objective is lowest on that line, by Newton's method, or to where a coefficient would change its sign.
void ReducedProblem::stretch_step(const Penalty& penalty, std::span<const double> from) {
  double most = kLongestStretch, slope = 0, bend = 0;  // of the penalty, in units of the step
  for (std::size_t j = 0; j < from.size(); ++j) {
    const double now = coefficients_[j], by = now - from[j], scale = columns_.scale(j);
    if (by == 0) continue;
    if (now * by <= 0) most = std::min(most, now / -by);
    slope += penalty.l1 * scale * std::copysign(by, now * by) + penalty.l2 * scale * scale * by * now;
    bend += penalty.l2 * scale * scale * by * by;
  }
  double at = 0, lower = 0, first = 0;  // at `lower` the objective still falls
  int stretch = 0;
  for (;; ++stretch) {
    double left = slope + at * bend, curvature = bend;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double step = fitted_[i] - fitted_before_[i];
      left -= gradient_[i] * step;
      curvature += curvature_[i] * step * step;
    }
    if (stretch == 0) first = left;
    if (left > -kSlopeLeft * first) at = lower;  // too far
    const double by = std::min(-left / curvature, most - at);
    if (left > kSlopeLeft * first || !(by >= kLeastStretch) || stretch == kMostStretches) break;
    lower = at;
    at += by;
    for (std::size_t i = 0; i < y_.size(); ++i) scratch_[i] = fitted_[i] + at * (fitted_[i] - fitted_before_[i]);
    compute_slopes(scratch_, 0);
  }
  if (stretch == 0) return;
  for (std::size_t j = 0; j < from.size(); ++j) {
    const double now = coefficients_[j], moved = now + at * (now - from[j]);
    coefficients_[j] = now != 0 && moved / now > kRoundingOfZero ? moved : 0;
  }
  refresh();
}

// Moves from the current coefficients towards those of the solved expansion.  False if no step lowers the objective.
bool ReducedProblem::step_towards(const Penalty& penalty, const ActiveProblem& problem, const Look& at) {
  const double before = objective(penalty), intercept = intercept_;
  std::vector<double> from;
  double fall = 0, intercept_step = 0;  // `fall`: of the objective, to first order
  for (const ActiveCoordinate& it : problem.coordinates) {
    const double old = coefficients_[it.column], by = it.coefficient - old, scale = columns_.scale(it.column);
    from.push_back(old);
    fall += by * at.gradients[it.column] + penalty_of(penalty, scale, old) - penalty_of(penalty, scale, it.coefficient);
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
