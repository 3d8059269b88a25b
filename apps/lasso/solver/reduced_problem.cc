// apps/lasso/solver/reduced_problem.cc
#include "apps/lasso/solver/reduced_problem.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/linear/ordered_sum.h"
#include "rota/fields.h"

namespace rota::lasso {

using namespace linear;
namespace {

constexpr double kWeightSumError = 1e-6;

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

ReducedProblem::ReducedProblem(Loss loss, bool intercept, std::vector<double> y, std::vector<double> w)
    : loss_kind_(loss),
      has_intercept_(intercept),
      y_(std::move(y)),
      w_(std::move(w)),
      columns_(y_.size(), intercept),
      gradient_(y_.size()),
      row_losses_(y_.size()),
      p_(loss == Loss::logistic ? y_.size() : 0),
      rest_(p_.size()),
      curvature_(p_.size()) {
  if (const char* const fault = fault_of(loss_kind_, y_, w_)) throw std::invalid_argument(fault);
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
  gram_.keep(columns_, keep);
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
  for (std::size_t i = 0; i < y_.size(); ++i) {
    score.weight += row_weights[i];
    score.loss += row_weights[i] * row_losses_[i];
    if (loss_kind_ == Loss::logistic && y_[i] * fitted_[i] <= 0) score.misclassified += row_weights[i];
  }
  return score;
}

DualityGap ReducedProblem::gap(const Penalty& penalty, double ratio) const {
  PenaltyTerms terms;
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    if (coefficients_[j] != 0) add_terms(penalty, j, columns_.dot(j, gradient_), terms);
  terms.ratio = ratio;
  return gap_of(terms);
}

void ReducedProblem::add_terms(const Penalty& penalty, std::size_t j, double gradient, PenaltyTerms& terms) const {
  const double scaled = columns_.scale(j) * coefficients_[j];
  terms.l1 += penalty.l1 * std::abs(scaled);
  terms.l2 += penalty.l2 * scaled * scaled;
  terms.slope += coefficients_[j] * gradient - penalty.l2 * scaled * scaled;
}

DualityGap ReducedProblem::gap_of(const PenaltyTerms& terms) const {
  if (loss_kind_ == Loss::squared) return squared_gap(2 * loss_, terms);
  return logistic_gap(w_, p_, rest_, terms);
}

void ReducedProblem::refresh() {
  sum_columns();
  if (loss_kind_ == Loss::squared && has_intercept_) fit_squared_intercept();
  if (loss_kind_ == Loss::logistic && has_intercept_) fit_logistic_intercept();
  if (loss_kind_ == Loss::logistic && !has_intercept_) compute_slopes(0);
  compute_rows();
}

// Computes fitted_, without the intercept.
void ReducedProblem::sum_columns() {
  fitted_.assign(y_.size(), 0.0);
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
  if (loss_kind_ == Loss::squared) {
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double residual = y_[i] - fitted_[i];
      gradient_[i] = w_[i] * residual;
      row_losses_[i] = residual * residual / 2;
    }
  }
  loss_ = chunked_sum(y_.size(), [&](std::size_t i) { return w_[i] * row_losses_[i]; });
}

void ReducedProblem::save(Writer& out) const {
  FieldWriter list(out);
  list(y_, w_, coefficients_, intercept_, columns_work_, kept_curvature_, gram_.columns());
  columns_.save(out);
}

void ReducedProblem::restore(Reader& in) {
  std::vector<double> y, w, curvature;
  double work = 0;
  std::vector<std::uint32_t> in_gram;
  FieldReader list(in);
  list(y, w, coefficients_, intercept_, work, curvature, in_gram);
  if (y.size() != y_.size() || fault_of(loss_kind_, y, w) != nullptr) in.fail();
  columns_.restore(in);
  if (coefficients_.size() != columns_.size() || !finite(coefficients_) || !std::isfinite(intercept_)) in.fail();
  if (!has_intercept_ && intercept_ != 0) in.fail();
  const bool positive = std::all_of(curvature.begin(), curvature.end(), [](double h) { return h >= 0; });
  const bool may_be = loss_kind_ == Loss::logistic && curvature.size() == y_.size();
  if (!curvature.empty() && !(may_be && positive && finite(curvature))) in.fail();
  std::vector<bool> seen(columns_.size());
  for (const std::uint32_t column : in_gram) {
    if (column >= seen.size() || seen[column]) in.fail();
    if (!in.ok()) break;
    seen[column] = true;
  }
  if (in.ok()) {
    y_ = std::move(y);
    w_ = std::move(w);
  } else {
    columns_ = WorkingColumns(y_.size(), has_intercept_);
    coefficients_.clear();
    intercept_ = 0;
  }
  forget_weights();
  if (in.ok()) {
    if (!curvature.empty()) {
      kept_curvature_ = std::move(curvature);
      keep_curvature();
    }
    columns_work_ = work;
    gram_.add(columns_, in_gram);
  }
  sum_columns();
  if (loss_kind_ == Loss::logistic) compute_slopes(intercept_);
  compute_rows();
}

}  // namespace rota::lasso
