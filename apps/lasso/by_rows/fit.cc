#include "apps/lasso/by_rows/fit.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/lasso/tables.h"
#include "apps/linear/logistic_loss.h"
#include "apps/linear/ordered_sum.h"

namespace rota::lasso {

using namespace linear;
RowsFit::RowsFit(const Settings& settings, RowShardData data)
    : loss_(settings.loss),
      has_intercept_(settings.intercept),
      matrix_(std::move(data.matrix)),
      data_(std::move(data)),
      coefficients_(matrix_.columns()),
      weights_(data_.weights),
      predictions_(matrix_.rows()),
      slopes_(matrix_.rows()) {
  const std::size_t rows = matrix_.rows();
  if (data_.response.size() != rows || data_.weights.size() != rows ||
      (!data_.folds.empty() && data_.folds.size() != rows))
    throw std::invalid_argument("every row must have a response, a weight and a fold");
  if (loss_ == Loss::logistic) data_.response = coded(std::move(data_.response), data_.classes);
}

void RowsFit::set_weights() {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = held_out(i) ? 0 : data_.weights[i] / total_;
}

void RowsFit::add_moments(RowsSums& sums) const {
  for (std::uint32_t j = 0; j < matrix_.columns(); ++j) {
    const auto each = [&](const auto& take) {
      matrix_.each(j, [&](std::uint32_t row, double x) { take(weights_[row], x); });
    };
    const Moments& moments = sums.columns.emplace_back(column_moments(weights_.size(), sums.weight, each));
    if (moments.centred_square > kLeastSquare || moments.sum * moments.sum > kLeastSquare * sums.weight) continue;
    const double largest = largest_weighted(each);
    if (largest == 0) continue;
    sums.tiny.push_back(j);
    sums.largest.push_back(largest);
  }
}

RowsSums RowsFit::begin(std::uint32_t fold) {
  fold_ = fold;
  total_ = 1;
  set_weights();
  RowsSums sums;
  sums.rows = static_cast<double>(weights_.size());
  sums.classes = data_.classes;
  sums.weight = ordered_sum(weights_.size(), [this](std::size_t i) { return weights_[i]; });
  sums.response = ordered_sum(weights_.size(), [this](std::size_t i) { return weights_[i] * data_.response[i]; });
  for (std::size_t i = 0; i < weights_.size(); ++i)
    sums.largest_response = std::max(sums.largest_response, weights_[i] > 0 ? std::abs(data_.response[i]) : 0);
  add_moments(sums);
  if (loss_ == Loss::squared || !has_intercept_) return sums;
  std::vector<double> positive(weights_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) positive[i] = data_.response[i] > 0 ? weights_[i] : 0;
  sums.positive.resize(matrix_.columns());
  matrix_.dot_all(positive, sums.positive);
  return sums;
}

void RowsFit::divide_weights(double total) {
  total_ = total;
  set_weights();
}

void RowsFit::shift(const Shifts& shifts) {
  if (shifts.columns == shifts_.columns && shifts.by == shifts_.by) return;
  for (const Key column : shifts.columns)
    if (column >= matrix_.columns()) throw_damaged();
  shifts_ = shifts;
  matrix_.shift(shifts_);
}

void RowsFit::set(std::span<const Delta> deltas) {
  for (const Delta& delta : deltas) (delta.key == kIntercept ? intercept_ : coefficients_[delta.key]) = delta.value[0];
}

void RowsFit::restart(std::span<const Delta> deltas) {
  set(deltas);
  predict();
}

void RowsFit::change(std::span<const Delta> deltas) {
  set(deltas);
  std::size_t touched = 0;
  for (const auto& [key, value, change] : deltas) {
    if (change[0] == 0) continue;
    if (key == kIntercept) {
      for (double& prediction : predictions_) prediction += change[0];
      touched += predictions_.size();
    } else {
      matrix_.axpy(static_cast<std::uint32_t>(key), change[0], predictions_);
      touched += matrix_.entries(static_cast<std::uint32_t>(key));
    }
  }
  if (touched >= predictions_.size()) {
    for (std::size_t i = 0; i < slopes_.size(); ++i) set_slope(i);
    return;
  }
  for (const auto& [key, value, change] : deltas)
    if (change[0] != 0)
      matrix_.each(static_cast<std::uint32_t>(key), [this](std::uint32_t row, double) { set_slope(row); });
}

void RowsFit::predict() {
  std::fill(predictions_.begin(), predictions_.end(), intercept_);
  for (std::uint32_t j = 0; j < coefficients_.size(); ++j)
    if (coefficients_[j] != 0) matrix_.axpy(j, coefficients_[j], predictions_);
  for (std::size_t i = 0; i < slopes_.size(); ++i) set_slope(i);
}

void RowsFit::set_slope(std::size_t i) {
  const double y = data_.response[i], f = predictions_[i];
  slopes_[i] = weights_[i] * (loss_ == Loss::squared ? y - f : y * logistic_row(y * f).p);
}

double RowsFit::loss_of(std::size_t i) const {
  const double y = data_.response[i], f = predictions_[i];
  return loss_ == Loss::squared ? (y - f) * (y - f) / 2 : logistic_row(y * f).loss;
}

double RowsFit::loss() const {
  return ordered_sum(weights_.size(),
                     [this](std::size_t i) { return weights_[i] == 0 ? 0 : weights_[i] * loss_of(i); });
}

RowsSlopes RowsFit::look() {
  predict();
  RowsSlopes slopes;
  slopes.loss = loss();
  slopes.slope = ordered_sum(slopes_.size(), [this](std::size_t i) { return slopes_[i]; });
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double y = data_.response[i], f = predictions_[i], w = weights_[i];
    if (held_out(i)) {
      slopes.held_out += data_.weights[i] * loss_of(i);
      slopes.held_out_weight += data_.weights[i];
    } else if (loss_ == Loss::squared) {
      slopes.square += w * (y - f) * (y - f);
    } else {
      const LogisticRow row = logistic_row(y * f);
      slopes.square += w * (row.p / row.rest);
      (y > 0 ? slopes.margin_positive : slopes.margin_negative) += w * y * f;
    }
  }
  slopes.gradient.resize(coefficients_.size());
  matrix_.dot_all(slopes_, slopes.gradient);
  return slopes;
}

// An epoch ends with predictions computed from scratch, so only the coefficients must be saved.
void RowsFit::save(Writer& out) const {
  out.put(fold_);
  out.put(total_);
  out.put(intercept_);
  write_fields(out, shifts_);
  for (std::size_t j = 0; j < coefficients_.size(); ++j) {
    if (coefficients_[j] == 0) continue;
    out.put_varint(j);
    out.put(coefficients_[j]);
  }
  out.put_varint(coefficients_.size());
}

void RowsFit::restore(Reader& in) {
  fold_ = in.get<std::uint32_t>();
  total_ = in.get<double>();
  intercept_ = in.get<double>();
  Shifts shifts;
  FieldReader list(in);
  list(shifts);
  if ((fold_ != 0 && data_.folds.empty()) || !(total_ > 0) || !in.ok()) return in.fail();
  shift(shifts);
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  for (;;) {
    const auto j = in.get_bounded<std::size_t>(coefficients_.size());
    if (!in.ok() || j == coefficients_.size()) break;
    coefficients_[j] = in.get<double>();
  }
  set_weights();
  predict();
}

}  // namespace rota::lasso
