// apps/lasso/solver/gram.h -- inner products of columns under row weights: sum_i h_i x_ij x_ik.
//
// A product depends only on its two columns and the weights, bit for bit, not on the order of the columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {

// Some columns' products with one another, without the diagonal: of column a its partners, and the product with each.
struct SparseGram {
  std::vector<std::size_t> begin;  // of every column's part; one more than columns
  std::vector<std::uint32_t> partner;
  std::vector<double> product;
  std::vector<double> diagonal;

  // u -= by * (row a)
  void subtract(std::size_t a, double by, double* u) const {
    const std::size_t end = begin[a + 1];
    for (std::size_t e = begin[a]; e < end; ++e) u[partner[e]] -= by * product[e];
    u[a] -= by * diagonal[a];
  }
};

// The same, all products of `size` columns, by rows.
struct DenseGram {
  std::size_t size = 0;
  std::vector<double> product;

  void subtract(std::size_t a, double by, double* u) const {
    const double* const row = product.data() + a * size;
    for (std::size_t e = 0; e < size; ++e) u[e] -= by * row[e];
  }
};

// Grows by columns; products that are zero because no row is shared are not stored.
class Gram {
 public:
  // For these weights h, one a row; clears the columns.
  void begin(std::span<const double> weights);
  std::size_t size() const { return columns_.size(); }
  // Products stored, counting each pair once.
  std::size_t pairs() const { return partner_.size(); }
  bool has(std::uint32_t column) const { return column < member_of_.size() && member_of_[column] != kNone; }
  // The columns (positions) stored, in the order of their addition.
  const std::vector<std::uint32_t>& columns() const { return columns_; }
  // Adds columns that are not stored yet, each once.
  void add(const WorkingColumns& columns, std::span<const std::uint32_t> added);
  // After WorkingColumns::keep with the same argument: keeps the columns that are kept there.
  void keep(const WorkingColumns& columns, const std::vector<bool>& keep);

  // Products stored among these columns, which must be stored; each pair once.
  std::size_t pairs_among(std::span<const std::uint32_t> columns) const;
  SparseGram sparse(std::span<const std::uint32_t> columns) const;
  DenseGram dense(std::span<const std::uint32_t> columns) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Products of sparse columns with one another: all at once, row by row, or of one column after the other through its
  // rows.
  std::vector<double> products_by_row(const WorkingColumns& columns, std::span<const std::uint32_t> sparse);
  bool is_better_by_row(const WorkingColumns& columns, std::span<const std::uint32_t> sparse, std::size_t old) const;
  void sum_along_rows(const WorkingColumns& columns, std::uint32_t column, bool before_only);
  void append_sparse_pairs(std::uint32_t column, std::span<const double> products);
  void append_pair(std::uint32_t member, double product);
  template <typename Visit>
  void visit_pairs(std::span<const std::uint32_t> columns, const Visit& visit) const;

  std::vector<double> root_;                    // sqrt(h_i)
  std::vector<std::uint32_t> columns_;          // of members
  std::vector<std::uint32_t> member_of_;        // of columns; kNone
  std::vector<std::uint32_t> filled_, sparse_;  // members with well filled columns, and others
  // Of every member, in their order: products with members before it.
  std::vector<std::size_t> begin_ = {0};
  std::vector<std::uint32_t> partner_;
  std::vector<double> product_;
  std::vector<double> diagonal_;
  std::vector<std::uint32_t> slot_of_;  // of columns, in products_by_row
  std::size_t slots_ = 0;               // in products_by_row
  std::vector<double> sum_;             // by columns: products with the one that is being added
};

}  // namespace rota::lasso
