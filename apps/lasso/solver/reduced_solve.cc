// apps/lasso/solver/reduced_solve.cc -- ReducedProblem::solve: rounds of choosing active columns, solving on them, and
// evaluating all.
#include <algorithm>
#include <cmath>

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

// In units of about one multiplication and addition on dense numbers.
struct MethodCost {
  double columns_epoch = 0;  // an epoch on columns
  double gram_epoch = 0;     // an epoch on products
  double gram_start = 0;     // computing the products that `gram` lacks, and laying out all
  double gram_layout = 0;    // the part of that for laying out
  bool gram_fits = false;    // in the memory limit of products
};

// Measured.  Of a column, every number is read in an epoch, and written if the coefficient changes.
constexpr double kSparseNumber = 6, kDenseNumber = 3;
// Of a row of products, every number is read and written.
constexpr double kSparseProduct = 3, kDenseProduct = 1;
// Per summand of a product that is computed.
constexpr double kSparseSummand = 2, kDenseSummand = 2;
// Per product that is copied into the layout of descent.
constexpr double kLayOut = 6;
constexpr double kMostPairs = 1 << 24;  // 12 bytes each

// The cost of coordinate descent on columns and on their products; `gram` may hold some of the problem's columns.
MethodCost cost_of(const ActiveProblem& problem, const Gram& gram) {
  const auto rows = static_cast<double>(problem.columns->rows());
  std::vector<std::uint32_t> in_row(problem.columns->rows(), 0);  // numbers of sparse columns
  double sparse = 0, dense = 0, new_dense = 0, numbers = 0, new_numbers = 0;
  for (const ActiveCoordinate& it : problem.coordinates) {
    if (problem.columns->is_dense(it.column)) {
      ++dense;
      new_dense += gram.has(it.column) ? 0 : 1;
      continue;
    }
    ++sparse;
    const auto its_rows = problem.columns->rows_of(it.column);
    numbers += static_cast<double>(its_rows.size());
    if (!gram.has(it.column)) new_numbers += static_cast<double>(its_rows.size());
    for (const std::uint32_t row : its_rows) ++in_row[row];
  }
  double summands = 0;  // of products of two sparse columns, every pair in both orders
  for (const std::uint32_t count : in_row) summands += static_cast<double>(count) * count;
  const double new_share = numbers > 0 ? new_numbers / numbers : 0;
  const double new_summands = summands * new_share * (1 - new_share / 2);
  const double size = sparse + dense;
  const double products = std::min(summands, sparse * sparse) + dense * (2 * sparse + dense);

  MethodCost cost;
  cost.columns_epoch = kSparseNumber * numbers + kDenseNumber * dense * rows;
  cost.gram_epoch = std::min(kSparseProduct * products, kDenseProduct * size * size);
  cost.gram_layout = kLayOut * products;
  cost.gram_start = kSparseSummand * (new_summands + new_dense * numbers + dense * new_numbers) +
                    kDenseSummand * new_dense * (dense - new_dense / 2) * rows + cost.gram_layout;
  cost.gram_fits = static_cast<double>(gram.pairs()) + products / 2 <= kMostPairs;
  return cost;
}

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
