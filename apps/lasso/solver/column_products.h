// apps/lasso/solver/column_products.h -- inner products of columns that fill many rows, with one another and with
// sparse ones, under row weights: sum_i h_i x_ij x_ik.
//
// Such columns are laid out a few rows at a time, so that the processor multiplies several numbers at once.  A product
// depends on its two columns and the weights alone, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {

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
