// apps/lasso/by_rows/held_columns.h -- a shard's columns for computation: those far from 0 less their mean.
//
// Predictions and products of a column like 1.7e9 +- 100 would lose its variation to rounding.  With an intercept,
// subtracting a number from a column does not change the model; the number is the same for all shards.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/lasso/design/columns.h"
#include "rota/types.h"

namespace rota::lasso {

// The numbers subtracted from columns; columns ascend.
struct Shifts {
  std::vector<Key> columns;
  std::vector<double> by;

  void fields(auto& list) {
    list(columns, by);
    list.check(columns.size() == by.size());
  }
};

class HeldColumns {
 public:
  explicit HeldColumns(std::shared_ptr<const Columns> matrix) : matrix_(std::move(matrix)) {}

  std::uint32_t rows() const { return matrix_->rows(); }
  std::uint32_t columns() const { return matrix_->columns(); }
  std::uint64_t entries() const { return matrix_->entries(); }
  std::size_t entries(std::uint32_t j) const { return far_of(j) != nullptr ? rows() : matrix_->entries(j); }

  // Takes 8 bytes a row for each of them.  REQUIRES: the columns exist.
  void shift(const Shifts& shifts) {
    far_.clear();
    for (std::size_t k = 0; k < shifts.columns.size(); ++k) {
      const auto j = static_cast<std::uint32_t>(shifts.columns[k]);
      std::vector<double>& column = far_[j];
      column.assign(rows(), -shifts.by[k]);
      matrix_->each(j, [&](std::uint32_t row, double x) { column[row] = x - shifts.by[k]; });
    }
  }

  double dot(std::uint32_t j, std::span<const double> g) const {
    const auto* const far = far_of(j);
    return far != nullptr ? dot_of(held(*far), g.data()) : matrix_->dot(j, g);
  }
  void dot_all(std::span<const double> g, std::span<double> out) const {
    matrix_->dot_all(g, out);
    for (const auto& [j, column] : far_) out[j] = dot_of(held(column), g.data());
  }
  void axpy(std::uint32_t j, double a, std::span<double> r) const {
    if (const auto* const far = far_of(j))
      axpy_of(held(*far), a, r.data());
    else
      matrix_->axpy(j, a, r);
  }
  // Calls take(row, value) for the rows that hold a value, ascending.
  template <typename Take>
  void each(std::uint32_t j, const Take& take) const {
    const auto* const far = far_of(j);
    if (far == nullptr) return matrix_->each(j, take);
    for (std::uint32_t i = 0; i < far->size(); ++i) take(i, (*far)[i]);
  }

 private:
  static DenseColumn<double> held(const std::vector<double>& column) { return {column.data(), column.size()}; }
  const std::vector<double>* far_of(std::uint32_t j) const {
    if (far_.empty()) return nullptr;
    const auto place = far_.find(j);
    return place == far_.end() ? nullptr : &place->second;
  }

  std::shared_ptr<const Columns> matrix_;
  std::map<std::uint32_t, std::vector<double>> far_;
};

}  // namespace rota::lasso
