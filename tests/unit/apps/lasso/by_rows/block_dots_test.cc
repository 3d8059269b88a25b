#include "apps/lasso/by_rows/block_dots.h"

#include "tests/unit/apps/lasso/plain_matrix.h"

namespace rota::lasso {
namespace {

double product(const tests::PlainMatrix& matrix, Key j, Key k, const std::vector<double>& weights) {
  std::vector<double> column(matrix.rows);
  for (const auto& [row, value] : matrix.columns[j]) column[row] = value;
  double sum = 0;
  for (const auto& [row, value] : matrix.columns[k]) sum += weights[row] * column[row] * value;
  return sum;
}

TEST(BlockDots, AreTheWeightedProductsWithAllBefore) {
  for (const double density : {0.02, 0.2, 0.5, 1.0}) {
    const tests::PlainMatrix matrix = tests::random_matrix(1, 60, 40, density, true);
    const HeldColumns columns(std::make_shared<const Columns>(tests::columns_of(matrix)));
    BlockDots dots(columns);
    std::vector<double> weights;
    for (std::uint32_t i = 0; i < matrix.rows; ++i) weights.push_back(i % 5 == 0 ? 0 : 1.0 / (1 + i));
    for (const std::vector<Key>& keys :
         {std::vector<Key>{7}, {3, 5}, {39, 0, 12, 1}, {2, 4, 6, 8, 10, 12, 14, 16, 18}}) {
      std::vector<std::vector<double>> parts;
      for (std::size_t q = 0; q < keys.size(); ++q) parts.emplace_back(2 + q, 10.0);
      std::vector<Entry> block;
      for (std::size_t q = 0; q < keys.size(); ++q) block.push_back({keys[q], {}, parts[q]});
      for (int times = 1; times <= 2; ++times) {
        dots.add(block, 2, weights);
        for (std::size_t q = 0; q < keys.size(); ++q) {
          EXPECT_EQ(parts[q][0], 10);
          EXPECT_EQ(parts[q][1], 10) << "parts before are not changed";
          for (std::size_t k = 0; k < q; ++k) {
            const double expected = product(matrix, keys[q], keys[k], weights);
            EXPECT_NEAR(parts[q][2 + k], 10 + times * expected, 1e-9 * (1 + std::abs(expected)));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rota::lasso
