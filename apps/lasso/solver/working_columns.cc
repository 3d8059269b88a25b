// apps/lasso/solver/working_columns.cc
#include "apps/lasso/solver/working_columns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "apps/linear_models/ordered_sum.h"

namespace rota::lasso {

using namespace linear;

void WorkingColumns::changed() {
  position_.clear();
  for (std::size_t j = 0; j < columns_.size(); ++j) position_.emplace(columns_[j].key, j);
}

bool WorkingColumns::is_valid(const Column& column) const {
  const std::span<const std::uint32_t> rows = column.rows;
  return column.scale >= 0 && std::isfinite(column.scale) && std::isfinite(column.shift) &&
         column.values.size() == (column.dense ? rows_ : rows.size()) && (!column.dense || rows.empty()) &&
         (rows.empty() || rows.back() < rows_) &&
         std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end();
}

template <typename Value>
void WorkingColumns::add(std::uint64_t key, double scale, std::vector<std::uint32_t> rows,
                         const std::vector<Value>& values) {
  Column column{.key = key, .scale = scale};
  column.own(std::move(rows), {values.begin(), values.end()});
  add(std::move(column));
}

void WorkingColumns::add(std::uint64_t key, double scale, const SparseColumn<double>& seen) {
  add({.key = key, .scale = scale, .rows = {seen.rows, seen.entries}, .values = {seen.values, seen.entries}});
}

void WorkingColumns::add(Column column) {
  if (!is_valid(column) || contains(column.key))
    throw std::invalid_argument("the rows of a column must ascend and exist, and each column comes once");
  // A dense column takes 8 bytes a row and is read without looking up rows, a sparse one takes 12 an entry.
  const std::span<const double> values = column.values;
  column.dense = !values.empty() && 2 * values.size() >= rows_;
  if (column.dense) {
    for (const double value : values) column.shift += shifted_ ? value : 0;
    column.shift /= static_cast<double>(rows_);
    LargeVector<double> all(rows_, 0.0 - column.shift);
    for (std::size_t e = 0; e < values.size(); ++e) all[column.rows[e]] = values[e] - column.shift;
    column.own({}, std::move(all));
  }
  position_.emplace(column.key, columns_.size());
  columns_.push_back(std::move(column));
}

template void WorkingColumns::add(std::uint64_t, double, std::vector<std::uint32_t>, const std::vector<double>&);
template void WorkingColumns::add(std::uint64_t, double, std::vector<std::uint32_t>, const std::vector<float>&);

void WorkingColumns::keep(const std::vector<bool>& keep) {
  std::size_t j = 0;
  std::erase_if(columns_, [&](const Column&) { return !keep[j++]; });
  changed();
}

double WorkingColumns::dot(std::size_t j, std::span<const double> v) const {
  const Column& column = columns_[j];
  const double *const x = column.values.data(), *const of = v.data();
  if (column.dense) return ordered_sum(column.values.size(), [=](std::size_t e) { return x[e] * of[e]; });
  const std::uint32_t* const row = column.rows.data();
  return ordered_sum(column.values.size(), [=](std::size_t e) { return x[e] * of[row[e]]; });
}

void WorkingColumns::add_to(std::size_t j, double by, std::span<double> to) const {
  const Column& column = columns_[j];
  const double* const x = column.values.data();
  const std::size_t count = column.values.size();
  if (column.dense) {
    for (std::size_t e = 0; e < count; ++e) to[e] += by * x[e];
  } else {
    const std::uint32_t* const row = column.rows.data();
    for (std::size_t e = 0; e < count; ++e) to[row[e]] += by * x[e];
  }
}

void WorkingColumns::add_weighted_to(std::size_t j, double by, std::span<const double> h, std::span<double> to) const {
  const Column& column = columns_[j];
  const double* const x = column.values.data();
  const std::size_t count = column.values.size();
  if (column.dense) {
    for (std::size_t e = 0; e < count; ++e) to[e] += by * (h[e] * x[e]);
  } else {
    const std::uint32_t* const row = column.rows.data();
    for (std::size_t e = 0; e < count; ++e) to[row[e]] += by * (h[row[e]] * x[e]);
  }
}

Moments WorkingColumns::moments(std::size_t j, std::span<const double> h, double sum_of_h, bool centred) const {
  const std::span<const double> x = values_of(j);
  const std::span<const std::uint32_t> row = rows_of(j);
  const auto row_of = [&](std::size_t e) { return row.empty() ? e : row[e]; };
  if (!centred) return {0, ordered_sum(x.size(), [&](std::size_t e) { return h[row_of(e)] * x[e] * x[e]; })};
  Moments moments = column_moments(rows_, sum_of_h, [&](const auto& take) {
    for (std::size_t e = 0; e < x.size(); ++e) take(h[row_of(e)], x[e]);
  });
  if (!varies({moments.sum + shift(j) * sum_of_h, moments.centred_square}, sum_of_h)) moments.centred_square = 0;
  return moments;
}

}  // namespace rota::lasso
