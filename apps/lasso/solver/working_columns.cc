// apps/lasso/solver/working_columns.cc
#include "apps/lasso/solver/working_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "apps/linear_models/ordered_sum.h"
#include "rota/fields.h"

namespace rota::lasso {

using namespace linear;
namespace {

template <typename T>
void move_down(LargeVector<T>& numbers, std::size_t from, std::size_t to, std::size_t count) {
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(from);
  std::copy_n(begin, count, numbers.begin() + static_cast<std::ptrdiff_t>(to));
}

}  // namespace

std::span<const std::uint32_t> WorkingColumns::rows_of(std::size_t j) const {
  const Column& column = columns_[j];
  if (column.dense) return {};
  return std::span(row_numbers_).subspan(column.row_at, column.count);
}

std::size_t WorkingColumns::sparse_numbers(std::size_t first) const {
  std::size_t numbers = 0;
  for (std::size_t j = first; j < columns_.size(); ++j) numbers += well_filled(j) ? 0 : columns_[j].count;
  return numbers;
}

SparseRows WorkingColumns::rows_from(std::size_t first) const {
  SparseRows rows;
  rows.begin.assign(rows_ + 1, 0);
  for (std::size_t j = first; j < columns_.size(); ++j)
    if (!well_filled(j))
      for (const std::uint32_t row : rows_of(j)) ++rows.begin[row + 1];
  for (std::size_t i = 0; i < rows_; ++i) rows.begin[i + 1] += rows.begin[i];
  rows.column.resize(rows.begin.back());
  rows.value.resize(rows.begin.back());
  std::vector<std::size_t> next(rows.begin.begin(), rows.begin.end() - 1);
  for (std::size_t j = first; j < columns_.size(); ++j) {
    if (well_filled(j)) continue;
    const auto its_rows = rows_of(j);
    const auto values = values_of(j);
    for (std::size_t e = 0; e < its_rows.size(); ++e) {
      const std::size_t at = next[its_rows[e]]++;
      rows.column[at] = static_cast<std::uint32_t>(j);
      rows.value[at] = values[e];
    }
  }
  return rows;
}

// New columns are a group of their own, together with preceding groups that are at most twice as large: so there are
// few groups, and few numbers are laid out often.
std::span<const SparseRows> WorkingColumns::by_row() const {
  if (grouped_ == columns_.size()) return by_row_;
  std::size_t first = grouped_;
  while (!by_row_.empty() && by_row_.back().value.size() <= 2 * sparse_numbers(first)) {
    first = group_begin_.back();
    by_row_.pop_back();
    group_begin_.pop_back();
  }
  by_row_.push_back(rows_from(first));
  group_begin_.push_back(first);
  grouped_ = columns_.size();
  return by_row_;
}

void WorkingColumns::check(std::uint64_t key, std::span<const std::uint32_t> rows, std::size_t values) const {
  if (rows.size() != values) throw std::invalid_argument("a column must have as many rows as values");
  if (contains(key)) throw std::invalid_argument("a column must be added only once");
  for (std::size_t e = 0; e < rows.size(); ++e)
    if (rows[e] >= rows_ || (e > 0 && rows[e] <= rows[e - 1]))
      throw std::invalid_argument("the rows of a column must ascend and exist");
}

void WorkingColumns::reserve(std::size_t numbers) {
  const auto grow = [&](auto& of) {
    const std::size_t wanted = of.size() + numbers;
    if (wanted > of.capacity()) of.reserve(std::max(wanted, of.capacity() + of.capacity() / 2));
  };
  grow(row_numbers_);
  grow(values_);
}

template <typename Value>
void WorkingColumns::add(std::uint64_t key, double scale, std::span<const std::uint32_t> rows,
                         std::span<const Value> values) {
  check(key, rows, values.size());
  // A dense column takes 8 bytes a row and is read without looking up rows, a sparse one takes 12 an entry.
  const bool dense = !rows.empty() && 2 * rows.size() >= rows_;
  double shift = 0;
  if (dense && shifted_) {
    for (const Value value : values) shift += static_cast<double>(value);
    shift /= static_cast<double>(rows_);
  }
  columns_.push_back({scale, row_numbers_.size(), values_.size(), dense ? rows_ : rows.size(), dense, shift});
  position_.emplace(key, keys_.size());
  keys_.push_back(key);
  if (dense) {
    const std::size_t at = values_.size();
    values_.resize(at + rows_, 0.0 - shift);
    for (std::size_t e = 0; e < rows.size(); ++e) values_[at + rows[e]] = static_cast<double>(values[e]) - shift;
  } else {
    row_numbers_.insert(row_numbers_.end(), rows.begin(), rows.end());
    values_.insert(values_.end(), values.begin(), values.end());
  }
}

template void WorkingColumns::add(std::uint64_t, double, std::span<const std::uint32_t>, std::span<const double>);
template void WorkingColumns::add(std::uint64_t, double, std::span<const std::uint32_t>, std::span<const float>);

void WorkingColumns::keep(const std::vector<bool>& keep) {
  by_row_.clear();
  group_begin_.clear();
  grouped_ = 0;
  std::size_t kept = 0, row_at = 0, value_at = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (!keep[j]) continue;
    Column column = columns_[j];
    move_down(values_, column.value_at, value_at, column.count);
    if (!column.dense) move_down(row_numbers_, column.row_at, row_at, column.count);
    column.row_at = row_at;
    column.value_at = value_at;
    value_at += column.count;
    if (!column.dense) row_at += column.count;
    columns_[kept] = column;
    keys_[kept++] = keys_[j];
  }
  columns_.resize(kept);
  keys_.resize(kept);
  row_numbers_.resize(row_at);
  values_.resize(value_at);
  position_.clear();
  for (std::size_t j = 0; j < kept; ++j) position_.emplace(keys_[j], j);
}

double WorkingColumns::dot(std::size_t j, std::span<const double> v) const {
  const Column& column = columns_[j];
  const double *const x = values_.data() + column.value_at, *const of = v.data();
  if (column.dense) return ordered_sum(column.count, [=](std::size_t e) { return x[e] * of[e]; });
  const std::uint32_t* const row = row_numbers_.data() + column.row_at;
  return ordered_sum(column.count, [=](std::size_t e) { return x[e] * of[row[e]]; });
}

void WorkingColumns::add_to(std::size_t j, double by, std::span<double> to) const {
  const Column& column = columns_[j];
  const double* const x = values_.data() + column.value_at;
  if (column.dense) {
    for (std::size_t e = 0; e < column.count; ++e) to[e] += by * x[e];
  } else {
    const std::uint32_t* const row = row_numbers_.data() + column.row_at;
    for (std::size_t e = 0; e < column.count; ++e) to[row[e]] += by * x[e];
  }
}

void WorkingColumns::add_weighted_to(std::size_t j, double by, std::span<const double> h, std::span<double> to) const {
  const Column& column = columns_[j];
  const double* const x = values_.data() + column.value_at;
  if (column.dense) {
    for (std::size_t e = 0; e < column.count; ++e) to[e] += by * (h[e] * x[e]);
  } else {
    const std::uint32_t* const row = row_numbers_.data() + column.row_at;
    for (std::size_t e = 0; e < column.count; ++e) to[row[e]] += by * (h[row[e]] * x[e]);
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

namespace {

// A column as it is saved: a dense one without rows.
struct SavedColumn {
  std::uint64_t key = 0;
  double scale = 0, shift = 0;
  bool dense = false;
  std::vector<std::uint32_t> rows;
  std::vector<double> values;

  void fields(auto& list) {
    list(key, scale, shift, dense, rows, values);
    list.check(scale >= 0 && std::isfinite(scale) && std::isfinite(shift));
  }
};

}  // namespace

void WorkingColumns::save(Writer& out) const {
  out.put_varint(columns_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const auto rows = rows_of(j);
    const auto values = values_of(j);
    write_fields(out, SavedColumn{keys_[j],
                                  columns_[j].scale,
                                  columns_[j].shift,
                                  columns_[j].dense,
                                  {rows.begin(), rows.end()},
                                  {values.begin(), values.end()}});
  }
}

void WorkingColumns::restore(Reader& in) {
  WorkingColumns read(rows_);  // not shifted again: the saved columns are shifted
  std::vector<std::uint32_t> all_rows(rows_);
  std::iota(all_rows.begin(), all_rows.end(), 0U);
  Archive list(in);
  for (std::size_t left = in.get_count(11); left > 0 && in.ok(); --left) {
    SavedColumn column;
    list(column);
    if (!in.ok()) break;
    try {
      read.add(column.key, column.scale, column.dense ? all_rows : column.rows, std::span<const double>(column.values));
      read.columns_.back().shift = column.shift;
    } catch (const std::invalid_argument&) {
      in.fail();
    }
  }
  const bool shifted = shifted_;
  *this = in.ok() ? std::move(read) : WorkingColumns(rows_);
  shifted_ = shifted;
}

}  // namespace rota::lasso
