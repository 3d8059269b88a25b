// apps/lasso/solver/reduced_problem.cc
#include "apps/lasso/solver/reduced_problem.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "apps/linear_models/logistic_rows.h"
#include "apps/linear_models/ordered_sum.h"
#include "rota/fields.h"

namespace rota::lasso {

using namespace linear;
namespace {

constexpr double kWeightSumError = 1e-6;

// ---- the solution

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
constexpr double kLargeGap = 1e-4;      // share of the objective: above it a lower bound of the gap will do
constexpr double kLastDigit = 0x1p-51;  // share of the objective that is rounding

// In units of about one multiplication and addition on dense numbers.
struct MethodCost {
  double columns_epoch = 0;  // an epoch on columns
  double gram_epoch = 0;     // an epoch on products
  double gram_start = 0;     // computing the products that `gram` lacks, and laying out all
  double gram_layout = 0;    // the part of that for laying out
  double most_bytes = 0;     // of memory for products
  bool gram_fits = false;    // in that, and in the limit of pairs
};

// Measured.  Of a column, every number is read in an epoch, and written if the coefficient changes.
constexpr double kSparseNumber = 6, kDenseNumber = 3;
// Per summand of a product that is computed.
constexpr double kSparseSummand = 2, kDenseSummand = 2;
// Per product that is copied into the layout of descent.
constexpr double kLayOut = 6;
constexpr double kMostPairs = 1 << 24;
// Bytes of a pair's product, its layout and a system of them.  They may take as much memory as the columns, or this
// much: if columns are short, products save too little to be worth more.
constexpr double kPairBytes = 32;
constexpr double kFewBytes = 48e6;

// The cost of coordinate descent on columns and on their products; `gram` may hold some of the problem's columns.
MethodCost cost_of(const ActiveProblem& problem, const Gram& gram) {
  const auto rows = static_cast<double>(problem.columns->rows());
  double sparse = 0, dense = 0, new_columns = 0, new_dense = 0, numbers = 0, new_numbers = 0;
  for (const ActiveCoordinate& it : problem.coordinates) {
    const bool is_new = !gram.has(it.column);
    new_columns += is_new ? 1 : 0;
    if (problem.columns->is_dense(it.column)) {
      ++dense;
      new_dense += is_new ? 1 : 0;
      continue;
    }
    ++sparse;
    const auto count = static_cast<double>(problem.columns->rows_of(it.column).size());
    numbers += count;
    if (is_new) new_numbers += count;
  }
  double summands = 0;  // of products of two sparse columns, every pair in both orders
  if (new_numbers > 0) {
    std::vector<std::uint32_t> in_row(problem.columns->rows(), 0);  // numbers of sparse columns
    for (const ActiveCoordinate& it : problem.coordinates)
      for (const std::uint32_t row : problem.columns->rows_of(it.column)) ++in_row[row];
    for (const std::uint32_t count : in_row) summands += static_cast<double>(count) * count;
  }
  const double new_share = numbers > 0 ? new_numbers / numbers : 0;
  const double new_summands = summands * new_share * (1 - new_share / 2);
  const double size = sparse + dense;
  const double stored = static_cast<double>(gram.columns().size()) + new_columns;

  MethodCost cost;
  cost.columns_epoch = kSparseNumber * numbers + kDenseNumber * dense * rows;
  cost.gram_epoch = size * size;
  cost.gram_layout = kLayOut * size * size;
  cost.gram_start = kSparseSummand * (new_summands + new_dense * numbers + dense * new_numbers) +
                    kDenseSummand * new_dense * (dense - new_dense / 2) * rows + cost.gram_layout;
  const double pairs = stored * stored / 2;
  cost.most_bytes = std::max(kFewBytes, 12 * numbers + 8 * dense * rows);
  cost.gram_fits = pairs <= kMostPairs && kPairBytes * pairs <= cost.most_bytes;
  return cost;
}

// ---- the data

bool finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

// The error in them, or null.
const char* fault_of(Loss loss, std::span<const double> y, std::span<const double> w) {
  if (y.size() != w.size()) return "the numbers of weights and rows must be equal";
  if (!finite(y) || !finite(w)) return "responses and weights must be finite";
  double sum = 0;
  for (const double weight : w) {
    if (weight < 0) return "weights must not be negative";
    sum += weight;
  }
  if (std::abs(sum - 1) > kWeightSumError) return "weights must sum to 1";
  if (loss == Loss::logistic)
    for (const double response : y)
      if (response != 1 && response != -1) return "responses of the logistic loss must be -1 or 1";
  return nullptr;
}

}  // namespace

ReducedProblem::ReducedProblem(Loss loss, bool intercept, std::span<const double> y, std::vector<double> w)
    : loss_kind_(loss), has_intercept_(intercept), y_(y), w_(std::move(w)), columns_(y_.size(), intercept) {
  if (const char* const fault = fault_of(loss_kind_, y_, w_)) throw std::invalid_argument(fault);
  std::vector<std::span<double>*> parts = {&fitted_, &gradient_, &scratch_};
  if (loss == Loss::logistic) parts.insert(parts.end(), {&p_, &rest_, &curvature_, &kept_curvature_, &fitted_before_});
  row_memory_.resize(parts.size() * y_.size());
  for (std::size_t k = 0; k < parts.size(); ++k) *parts[k] = std::span(row_memory_).subspan(k * y_.size(), y_.size());
  forget_weights();
  refresh();
}

void ReducedProblem::forget_weights() {
  sum_of_weights_ = chunked_sum(w_.size(), [&](std::size_t i) { return w_[i]; });
  moments_.clear();
  forget_curvature();
  gram_.begin(w_);
  columns_work_ = 0;
}

void ReducedProblem::compute_moments() {
  while (moments_.size() < columns_.size())
    moments_.push_back(columns_.moments(moments_.size(), w_, sum_of_weights_, has_intercept_));
}

void ReducedProblem::drop_zeros(std::span<const std::uint64_t> except) {
  std::vector<bool> keep(columns_.size());
  for (std::size_t j = 0; j < keep.size(); ++j) keep[j] = coefficients_[j] != 0;
  for (const std::uint64_t key : except)
    if (contains(key)) keep[columns_.position(key)] = true;
  std::size_t kept = 0, known = 0, known_kept = 0;  // moments are known of the first columns, before and after
  for (std::size_t j = 0; j < keep.size(); ++j) {
    if (!keep[j]) continue;
    if (j < moments_.size()) moments_[known++] = moments_[j];
    if (j < kept_moments_.size()) kept_moments_[known_kept++] = kept_moments_[j];
    coefficients_[kept++] = coefficients_[j];
  }
  coefficients_.resize(kept);
  moments_.resize(known);
  kept_moments_.resize(known_kept);
  columns_.keep(keep);
  gram_.keep(keep);
}

void ReducedProblem::reset() {
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  intercept_ = 0;
  refresh();
}

void ReducedProblem::set_coefficients(std::span<const double> coefficients) {
  if (coefficients.size() != coefficients_.size() || !finite(coefficients))
    throw std::invalid_argument("there must be one finite coefficient for every column");
  coefficients_.assign(coefficients.begin(), coefficients.end());
  refresh();
}

void ReducedProblem::set_weights(std::vector<double> w) {
  if (const char* const fault = fault_of(loss_kind_, y_, w)) throw std::invalid_argument(fault);
  w_ = std::move(w);
  forget_weights();
  refresh();
}

double ReducedProblem::coefficient(std::uint64_t key) const {
  return contains(key) ? coefficients_[columns_.position(key)] : 0;
}

double ReducedProblem::intercept() const {
  double intercept = intercept_;
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    if (coefficients_[j] != 0) intercept -= columns_.shift(j) * coefficients_[j];
  return intercept;
}

std::size_t ReducedProblem::nonzeros() const {
  return static_cast<std::size_t>(
      std::count_if(coefficients_.begin(), coefficients_.end(), [](double b) { return b != 0; }));
}

double ReducedProblem::penalty_value(const Penalty& penalty) const {
  double sum = 0;
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    sum += penalty_of(penalty, columns_.scale(j), coefficients_[j]);
  return sum;
}

Score ReducedProblem::score(std::span<const double> row_weights) const {
  if (row_weights.size() != y_.size()) throw std::invalid_argument("the numbers of weights and rows must be equal");
  Score score;
  double losses[kSumChunk];
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (i % kSumChunk == 0) row_losses(i, std::span(losses).first(std::min(kSumChunk, y_.size() - i)));
    score.weight += row_weights[i];
    score.loss += row_weights[i] * losses[i % kSumChunk];
  }
  return score;
}

void ReducedProblem::row_losses(std::size_t at, std::span<double> losses) const {
  const std::span<const double> y = y_.subspan(at, losses.size()), f = fitted_.subspan(at, losses.size());
  if (loss_kind_ == Loss::logistic) {
    double p[kSumChunk], rest[kSumChunk];
    return logistic_rows(y, f, 0, {losses, std::span(p).first(y.size()), std::span(rest).first(y.size())});
  }
  for (std::size_t i = 0; i < y.size(); ++i) losses[i] = (y[i] - f[i]) * (y[i] - f[i]) / 2;
}

DualityGap ReducedProblem::gap(const Penalty& penalty, double ratio) const {
  PenaltyTerms terms;
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    if (coefficients_[j] != 0) add_terms(penalty, j, columns_.dot(j, gradient_), terms);
  terms.ratio = ratio;
  return gap_of(terms, HUGE_VAL);
}

void ReducedProblem::add_terms(const Penalty& penalty, std::size_t j, double gradient, PenaltyTerms& terms) const {
  const double scaled = columns_.scale(j) * coefficients_[j];
  terms.l1 += penalty.l1 * std::abs(scaled);
  terms.l2 += penalty.l2 * scaled * scaled;
  terms.slope += coefficients_[j] * gradient - penalty.l2 * scaled * scaled;
}

DualityGap ReducedProblem::gap_of(const PenaltyTerms& terms, double enough) const {
  if (loss_kind_ == Loss::squared) return squared_gap(2 * loss_, terms);
  return logistic_gap(w_, p_, rest_, terms, enough);
}

void ReducedProblem::refresh() {
  sum_columns();
  if (loss_kind_ == Loss::squared && has_intercept_) fit_squared_intercept();
  if (loss_kind_ == Loss::logistic && has_intercept_) fit_logistic_intercept();
  if (loss_kind_ == Loss::logistic && !has_intercept_) compute_slopes(fitted_, 0);
  compute_rows();
}

// Computes fitted_, without the intercept.
void ReducedProblem::sum_columns() {
  std::ranges::fill(fitted_, 0.0);
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    if (coefficients_[j] != 0) columns_.add_to(j, coefficients_[j], fitted_);
}

void ReducedProblem::fit_squared_intercept() {
  intercept_ = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second corrects the rounding of the first
    const double at = intercept_;
    const double sum = chunked_sum(w_.size(), [&](std::size_t i) { return w_[i] * (y_[i] - (fitted_[i] + at)); });
    intercept_ += sum / sum_of_weights_;
  }
}

// Adds the intercept to fitted_ and computes what depends on it, for the logistic loss after
// compute_slopes(intercept_).
void ReducedProblem::compute_rows() {
  if (intercept_ != 0)
    for (double& fitted : fitted_) fitted += intercept_;
  if (loss_kind_ == Loss::logistic) return;
  loss_ = chunked_sum(y_.size(), [&](std::size_t i) {
    const double residual = y_[i] - fitted_[i];
    gradient_[i] = w_[i] * residual;
    return w_[i] * (residual * residual / 2);
  });
}

// ---- the solution: rounds of choosing active columns, solving on them, and evaluating all

SolveStatistics ReducedProblem::solve(const Penalty& penalty, double tolerance, const SolveLimits& limits) {
  limits_ = limits;
  done_ = {};
  compute_moments();
  leave_out_constants();
  step_is_solved_ = false;
  double least_gap = HUGE_VAL, least_objective = HUGE_VAL, gap_before = HUGE_VAL;
  std::uint64_t idle = 0;
  for (;;) {
    const double now = objective(penalty);
    const Look at = look(penalty, std::max(tolerance, kLargeGap * now));
    done_.gap = at.gap.gap;
    done_.converged = done_.gap <= tolerance;
    const bool better = done_.gap < least_gap || now < least_objective * (1 - kLastDigit);
    least_gap = std::min(least_gap, done_.gap);
    least_objective = std::min(least_objective, now);
    if (better) idle = 0;
    if (step_is_solved_ && done_.gap > kSlowFall * gap_before) forget_curvature();
    gap_before = done_.gap;
    const bool ended = done_.epochs >= limits_.epochs || done_.rounds >= limits_.rounds;
    if (done_.converged || ended || idle >= kMostIdleRounds) return done_;
    ++done_.rounds;
    ++idle;
    const double share = std::max(kToleranceShare * tolerance, kRoundShare * at.gap.gap);
    const bool gained =
        loss_kind_ == Loss::squared ? squared_round(penalty, at, share) : newton_round(penalty, at, share);
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

ReducedProblem::Look ReducedProblem::look(const Penalty& penalty, double enough) const {
  Look look;
  look.gradients.reserve(columns_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const double gradient = takes_part(j) ? columns_.dot(j, gradient_) : 0;
    look.gradients.push_back(gradient);
    const double ratio = constraint_ratio(penalty, columns_.scale(j), coefficients_[j], gradient);
    look.terms.ratio = std::max(look.terms.ratio, ratio);
    add_terms(penalty, j, gradient, look.terms);
  }
  look.gap = gap_of(look.terms, enough);
  return look;
}

std::vector<ActiveCoordinate> ReducedProblem::active_coordinates(const Penalty& penalty, const Look& at) const {
  const auto is_active = [&](std::uint32_t j) {
    return takes_part(j) && (coefficients_[j] != 0 || std::abs(at.gradients[j]) > penalty.l1 * columns_.scale(j));
  };
  const auto all = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(columns_.size()));
  std::vector<ActiveCoordinate> active;
  active.reserve(static_cast<std::size_t>(std::ranges::count_if(all, is_active)));
  for (const std::uint32_t j : all) {
    if (!is_active(j)) continue;
    const double scale = columns_.scale(j);
    active.push_back(
        {j, coefficients_[j], at.gradients[j], penalty.l1 * scale, penalty.l2 * scale * scale, moments_[j]});
  }
  return active;
}

// The loss is quadratic, so this is the whole problem of the active columns.
bool ReducedProblem::squared_round(const Penalty& penalty, const Look& at, double tolerance) {
  ActiveProblem problem{&columns_,
                        w_,
                        gradient_,
                        scratch_,
                        has_intercept_ ? sum_of_weights_ : 0,
                        2 * loss_,
                        active_coordinates(penalty, at)};
  const bool gained = descend(problem, tolerance);
  for (const ActiveCoordinate& it : problem.coordinates) coefficients_[it.column] = it.coefficient;
  refresh();
  return gained;
}

bool ReducedProblem::descend(ActiveProblem& problem, double tolerance) {
  if (problem.coordinates.empty()) return false;
  std::uint64_t epochs = limits_.epochs - done_.epochs;
  const MethodCost cost = cost_of(problem, gram_);
  const bool by_steps = loss_kind_ == Loss::logistic && method_ == Method::automatic && cost.gram_fits;
  const double expected = by_steps ? kEpochsOfStep : kExpectedEpochs;
  // The cost of the columns so far is what the products would have saved, so they are computed at the latest when
  // descent on columns has cost as much as computing them.
  const bool cheaper = cost.gram_start + expected * cost.gram_epoch < columns_work_ + expected * cost.columns_epoch;
  Descent done;
  problem.products_cost = cost.gram_start;
  problem.epoch_cost = cost.columns_epoch;
  problem.most_bytes = cost.most_bytes;
  if (method_ == Method::gram || (method_ == Method::automatic && cost.gram_fits && cheaper)) {
    std::vector<std::uint32_t> added;
    for (const ActiveCoordinate& it : problem.coordinates)
      if (!gram_.has(it.column)) added.push_back(it.column);
    gram_.add(columns_, added);
    problem.gram = &gram_;
    problem.products_cost = cost.gram_layout;
    problem.epoch_cost = cost.gram_epoch;
    done = descend_on_gram(problem, tolerance, epochs);
    ++done_.gram_rounds;
  } else {
    if (by_steps) epochs = std::min(epochs, static_cast<std::uint64_t>(kEpochsOfStep));
    done = descend_on_columns(problem, tolerance, epochs);
    columns_work_ += static_cast<double>(done.epochs) * std::max(cost.columns_epoch - cost.gram_epoch, 0.0);
  }
  done_.epochs += done.epochs;
  step_is_solved_ = done.gap <= tolerance || done.stalled;
  return !done.stalled;
}

// ---- its state

void ReducedProblem::state(Archive& list) {
  const std::size_t rows = y_.size();
  double work = columns_work_;
  std::vector<double> curvature;
  if (keeps_curvature_) curvature.assign(kept_curvature_.begin(), kept_curvature_.end());
  std::vector<std::uint32_t> in_gram = gram_.columns();
  double scale = curvature_scale_;
  list(w_, columns_, coefficients_, intercept_, work, curvature, scale, in_gram);
  if (!list.reads()) return;
  list.check(fault_of(loss_kind_, y_, w_) == nullptr);
  list.check(coefficients_.size() == columns_.size() && finite(coefficients_) && std::isfinite(intercept_) &&
             (has_intercept_ || intercept_ == 0));
  list.check(curvature.empty() || (loss_kind_ == Loss::logistic && curvature.size() == rows && finite(curvature) &&
                                   std::ranges::min(curvature) >= 0));
  list.check(scale > 0 && std::isfinite(scale));
  std::vector<bool> seen(columns_.size());
  for (const std::uint32_t column : in_gram) {
    list.check(column < seen.size() && !seen[column]);
    if (!list.ok()) return;
    seen[column] = true;
  }
  if (!list.ok()) return;
  forget_weights();
  if (!curvature.empty()) {
    std::ranges::copy(curvature, kept_curvature_.begin());
    curvature_scale_ = scale;
    keep_curvature();
  }
  columns_work_ = work;
  gram_.add(columns_, in_gram);
  sum_columns();
  if (loss_kind_ == Loss::logistic) compute_slopes(fitted_, intercept_);
  compute_rows();
}

}  // namespace rota::lasso
