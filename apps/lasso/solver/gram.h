// apps/lasso/solver/gram.h -- inner products of columns under row weights: sum_i h_i x_ij x_ik.
//
// A product depends only on its two columns and the weights, bit for bit, not on the order of the columns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {

// Grows by columns.
class Gram {
 public:
  // For these weights h, one a row, which must stay as they are until the next call; clears the columns.
  void begin(std::span<const double> weights);
  bool has(std::uint32_t column) const { return column < member_of_.size() && member_of_[column] != kNone; }
  // The columns (positions) stored, in the order of their addition.
  const std::vector<std::uint32_t>& columns() const { return columns_; }
  // Adds columns that are not stored yet, each once.
  void add(const WorkingColumns& columns, std::span<const std::uint32_t> added);
  // After WorkingColumns::keep with the same argument: keeps the columns that are kept there.
  void keep(const std::vector<bool>& keep);
  // Of two columns that are stored.
  double product(std::uint32_t a, std::uint32_t b) const { return product_[place(member_of_[a], member_of_[b])]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static std::size_t place(std::size_t a, std::size_t b) { return a < b ? place(b, a) : a * (a + 1) / 2 + b; }
  void add_sparse(const WorkingColumns& columns, std::span<const std::uint32_t> sparse, std::size_t old);

  std::span<const double> weights_;
  std::vector<double> root_;              // sqrt(h_i), once a column is stored
  std::vector<std::uint32_t> columns_;    // of members
  std::vector<std::uint32_t> member_of_;  // of columns; or kNone
  std::vector<double> product_;           // of members, by place()
};

}  // namespace rota::lasso
