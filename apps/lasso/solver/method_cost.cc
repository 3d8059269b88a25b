// apps/lasso/solver/method_cost.cc
#include "apps/lasso/solver/method_cost.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rota::lasso {
namespace {

// Measured.  Of a column, every number is read in an epoch, and written if the coefficient changes.
constexpr double kSparseNumber = 6, kDenseNumber = 3;
// Of a row of products, every number is read and written.
constexpr double kSparseProduct = 3, kDenseProduct = 1;
// Per summand of a product that is computed.
constexpr double kSparseSummand = 2, kDenseSummand = 2;
// Per product that is copied into the layout of descent.
constexpr double kLayOut = 6;
constexpr double kMostPairs = 1 << 24;  // 12 bytes each

}  // namespace

MethodCost cost_of(const ActiveProblem& problem, const Gram& gram) {
  const auto rows = static_cast<double>(problem.columns->rows());
  std::vector<std::uint32_t> in_row(problem.columns->rows(), 0);  // numbers of sparse columns
  double sparse = 0, dense = 0, new_dense = 0, numbers = 0, new_numbers = 0;
  for (const ActiveCoordinate& it : problem.coordinates) {
    if (problem.columns->is_dense(it.column)) {
      ++dense;
      new_dense += gram.has(it.column) ? 0 : 1;
      continue;
    }
    ++sparse;
    const auto its_rows = problem.columns->rows_of(it.column);
    numbers += static_cast<double>(its_rows.size());
    if (!gram.has(it.column)) new_numbers += static_cast<double>(its_rows.size());
    for (const std::uint32_t row : its_rows) ++in_row[row];
  }
  double summands = 0;  // of products of two sparse columns, every pair in both orders
  for (const std::uint32_t count : in_row) summands += static_cast<double>(count) * count;
  const double new_share = numbers > 0 ? new_numbers / numbers : 0;
  const double new_summands = summands * new_share * (1 - new_share / 2);
  const double size = sparse + dense;
  const double products = std::min(summands, sparse * sparse) + dense * (2 * sparse + dense);

  MethodCost cost;
  cost.columns_epoch = kSparseNumber * numbers + kDenseNumber * dense * rows;
  cost.gram_epoch = std::min(kSparseProduct * products, kDenseProduct * size * size);
  cost.gram_layout = kLayOut * products;
  cost.gram_start = kSparseSummand * (new_summands + new_dense * numbers + dense * new_numbers) +
                    kDenseSummand * new_dense * (dense - new_dense / 2) * rows + cost.gram_layout;
  cost.gram_fits = static_cast<double>(gram.pairs()) + products / 2 <= kMostPairs;
  return cost;
}

}  // namespace rota::lasso
