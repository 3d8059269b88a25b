// apps/lasso/solver/row_products.h -- inner products of many sparse columns with one another under row weights, row by
// row: sum_i h_i x_ij x_ik.
//
// Rows are read one after the other, and the sums are few enough to stay in the cache.  A product is summed in the
// order of the rows, so it depends only on its two columns and the weights, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/linear/design/large_vector.h"


namespace rota::lasso {

using linear::LargeVector;

// The numbers of some consecutive columns, row after row.
struct SparseRows {
  std::vector<std::size_t> begin;     // of every row's part; one more than rows
  LargeVector<std::uint32_t> column;  // positions, ascending in a row
  LargeVector<double> value;
};

// `rows` are several groups of columns, ascending.  `root` has sqrt(h_i), and slot_of a number for every column: below
// `slots`, ascending with the columns, for those that take part.  The product of slots s <= t is at t * slots + s.
std::vector<double> row_products(std::span<const SparseRows> rows, std::span<const double> root,
                                 std::span<const std::uint32_t> slot_of, std::size_t slots);

}  // namespace rota::lasso
