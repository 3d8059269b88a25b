// apps/lasso/solver/reduced_solve.cc -- ReducedProblem::solve: rounds of choosing active columns, solving on them, and
// evaluating all.
#include <algorithm>
#include <cmath>

#include "apps/lasso/solver/method_cost.h"
#include "apps/lasso/solver/reduced_problem.h"

namespace rota::lasso {
namespace {

// The share of the duality gap at the beginning of a round at which it leaves the active columns: others may have to
// join them first.
constexpr double kRoundShare = 0.1;
// The share of the tolerance to which the active columns are solved at most.
constexpr double kToleranceShare = 0.5;
// Expected epochs of a round, for the choice of its method.
constexpr double kExpectedEpochs = 30;
// The same for a Newton step: its curvatures may be dropped after it, and the products with them.  So a step on columns
// has at most this number, and products are computed once steps with the same curvatures have cost as much as that.
constexpr double kEpochsOfStep = 10;
// Rounds in a row that lowered neither the gap nor the objective, after which the solver gives up.
constexpr std::uint64_t kMostIdleRounds = 6;
// Share of the gap at the beginning of a round: if more than this is left, the next has new curvatures.
constexpr double kSlowFall = 0.3;
constexpr double kLastDigit = 0x1p-51;  // share of the objective that is rounding

}  // namespace

SolveStatistics ReducedProblem::solve(const Penalty& penalty, double tolerance, const SolveLimits& limits) {
  compute_moments();
  leave_out_constants();
  SolveStatistics statistics;
  step_is_solved_ = false;
  double least_gap = HUGE_VAL, least_objective = HUGE_VAL, gap_before = HUGE_VAL;
  std::uint64_t idle = 0;
  for (;;) {
    const Look at = look(penalty);
    statistics.gap = at.gap.gap;
    statistics.converged = statistics.gap <= tolerance;
    const double now = objective(penalty);
    const bool better = statistics.gap < least_gap || now < least_objective * (1 - kLastDigit);
    least_gap = std::min(least_gap, statistics.gap);
    least_objective = std::min(least_objective, now);
    if (better) idle = 0;
    if (step_is_solved_ && statistics.gap > kSlowFall * gap_before) forget_curvature();
    gap_before = statistics.gap;
    const bool ended = statistics.epochs >= limits.epochs || statistics.rounds >= limits.rounds;
    if (statistics.converged || ended || idle >= kMostIdleRounds) return statistics;
    ++statistics.rounds;
    ++idle;
    const double share = std::max(kToleranceShare * tolerance, kRoundShare * at.gap.gap);
    const bool gained = loss_kind_ == Loss::squared ? squared_round(penalty, at, share, limits, statistics)
                                                    : newton_round(penalty, at, share, limits, statistics);
    if (!gained) idle += kMostIdleRounds / 2;
  }
}

// A warm start may have a coefficient for a column that other weights have made constant.
void ReducedProblem::leave_out_constants() {
  bool any = false;
  for (std::size_t j = 0; j < coefficients_.size(); ++j) {
    if (coefficients_[j] == 0 || takes_part(j)) continue;
    coefficients_[j] = 0;
    any = true;
  }
  if (any) refresh();
}

ReducedProblem::Look ReducedProblem::look(const Penalty& penalty) const {
  Look look;
  look.gradients.reserve(columns_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const double gradient = takes_part(j) ? columns_.dot(j, gradient_) : 0;
    look.gradients.push_back(gradient);
    const double ratio = constraint_ratio(penalty, columns_.scale(j), coefficients_[j], gradient);
    look.terms.ratio = std::max(look.terms.ratio, ratio);
    add_terms(penalty, j, gradient, look.terms);
  }
  look.gap = gap_of(look.terms);
  return look;
}

std::vector<ActiveCoordinate> ReducedProblem::active_coordinates(const Penalty& penalty, const Look& at) const {
  std::vector<ActiveCoordinate> active;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    const double scale = columns_.scale(j), threshold = penalty.l1 * scale;
    if (!takes_part(j) || (coefficients_[j] == 0 && std::abs(at.gradients[j]) <= threshold)) continue;
    active.push_back({j, coefficients_[j], at.gradients[j], threshold, penalty.l2 * scale * scale, moments_[j]});
  }
  return active;
}

// The loss is quadratic, so this is the whole problem of the active columns.
bool ReducedProblem::squared_round(const Penalty& penalty, const Look& at, double tolerance, const SolveLimits& limits,
                                   SolveStatistics& statistics) {
  ActiveProblem problem{
      &columns_, w_, gradient_, has_intercept_ ? sum_of_weights_ : 0, 2 * loss_, active_coordinates(penalty, at)};
  const bool gained = descend(problem, gram_, tolerance, limits, statistics);
  for (const ActiveCoordinate& it : problem.coordinates) coefficients_[it.column] = it.coefficient;
  refresh();
  return gained;
}

bool ReducedProblem::descend(ActiveProblem& problem, Gram& gram, double tolerance, const SolveLimits& limits,
                             SolveStatistics& statistics) {
  if (problem.coordinates.empty()) return false;
  std::uint64_t epochs = limits.epochs - statistics.epochs;
  const MethodCost cost = cost_of(problem, gram);
  const bool by_steps = loss_kind_ == Loss::logistic && method_ == Method::automatic && cost.gram_fits;
  const double expected = by_steps ? kEpochsOfStep : kExpectedEpochs;
  // The cost of the columns so far is what the products would have saved, so they are computed at the latest when
  // descent on columns has cost as much as computing them.
  const bool cheaper = cost.gram_start + expected * cost.gram_epoch < columns_work_ + expected * cost.columns_epoch;
  Descent done;
  problem.products_cost = cost.gram_start;
  problem.epoch_cost = cost.columns_epoch;
  if (method_ == Method::gram || (method_ == Method::automatic && cost.gram_fits && cheaper)) {
    std::vector<std::uint32_t> added;
    for (const ActiveCoordinate& it : problem.coordinates)
      if (!gram.has(it.column)) added.push_back(it.column);
    gram.add(columns_, added);
    problem.gram = &gram;
    problem.products_cost = cost.gram_layout;
    problem.epoch_cost = cost.gram_epoch;
    done = descend_on_gram(problem, tolerance, epochs);
    ++statistics.gram_rounds;
  } else {
    if (by_steps) epochs = std::min(epochs, static_cast<std::uint64_t>(kEpochsOfStep));
    done = descend_on_columns(problem, tolerance, epochs);
    columns_work_ += static_cast<double>(done.epochs) * std::max(cost.columns_epoch - cost.gram_epoch, 0.0);
  }
  statistics.epochs += done.epochs;
  statistics.updates += done.updates;
  statistics.extrapolations += done.extrapolations;
  statistics.support_steps += done.support_steps;
  step_is_solved_ = done.gap <= tolerance || done.stalled;
  return !done.stalled;
}

}  // namespace rota::lasso
