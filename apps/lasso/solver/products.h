// apps/lasso/solver/products.h -- inner products of columns under row weights, sum_i h_i x_ij x_ik, by the methods that
// are the fastest for sparse and for filled columns.
//
// A product is summed in a fixed order, so it depends only on its two columns and the weights, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {

// Of many sparse columns with one another, row by row: rows are read one after the other, and the sums are few enough
// to stay in the cache.  `rows` are several groups of columns, ascending.  `root` has sqrt(h_i), and slot_of a number
// for every column: below `slots`, ascending with the columns, for those that take part.  The product of slots s <= t
// is at t * slots + s.
std::vector<double> row_products(std::span<const SparseRows> rows, std::span<const double> root,
                                 std::span<const std::uint32_t> slot_of, std::size_t slots);

// Columns that fill many rows are laid out a few rows at a time, so that the processor multiplies several numbers at
// once.
struct ProductColumns {
  const WorkingColumns& columns;
  std::span<const double> root;  // sqrt(h_i)
};

// Among `filled`: of number d = old, old + 1, ... its products with numbers 0 .. d, one after the other.
std::vector<double> filled_products(const ProductColumns& of, std::span<const std::uint32_t> filled, std::size_t old);

// Of sparse number s with filled number d, at s * filled.size() + d.  Those of the first `old_sparse` with the first
// `old_filled` are left out and are 0.
std::vector<double> mixed_products(const ProductColumns& of, std::span<const std::uint32_t> sparse,
                                   std::size_t old_sparse, std::span<const std::uint32_t> filled,
                                   std::size_t old_filled);

}  // namespace rota::lasso
