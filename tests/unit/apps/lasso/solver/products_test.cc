#include "apps/lasso/solver/products.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kRows = 613;  // more than two chunks of rows, and not a whole number of them
const std::vector<double> kDensity = {0.3, 1, 0.05, 0.4, 0.6, 0, 0.1, 0.9, 0.35, 0.02, 0.5};

struct Data {
  WorkingColumns columns{kRows};
  std::vector<std::vector<double>> weighted;  // x_ij sqrt(h_i)
  std::vector<double> root;
};

Data random_data() {
  Data data;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t i = 0; i < kRows; ++i) data.root.push_back(i % 9 == 0 ? 0 : std::sqrt(uniform(random)));
  for (std::size_t j = 0; j < kDensity.size(); ++j) {
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    data.weighted.emplace_back(kRows, 0.0);
    for (std::uint32_t i = 0; i < kRows; ++i) {
      if (uniform(random) >= kDensity[j]) continue;
      rows.push_back(i);
      values.push_back(normal(random));
      data.weighted[j][i] = values.back() * data.root[i];
    }
    data.columns.add<double>(j, 1, rows, values);
  }
  return data;
}

double plain(const Data& data, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  for (std::size_t i = 0; i < kRows; ++i) sum += data.weighted[a][i] * data.weighted[b][i];
  return sum;
}

TEST(ColumnProducts, OfFilledColumnsAreThePlainSums) {
  const Data data = random_data();
  const std::vector<std::uint32_t> filled = {1, 4, 7, 0, 10, 3, 8};
  for (const std::size_t old : {0U, 3U, 7U}) {
    const std::vector<double> products = filled_products({data.columns, data.root}, filled, old);
    auto next = products.begin();
    for (std::size_t d = old; d < filled.size(); ++d)
      for (std::size_t e = 0; e <= d; ++e)
        EXPECT_NEAR(*next++, plain(data, filled[d], filled[e]), 1e-11) << old << ' ' << d << ' ' << e;
    EXPECT_EQ(next, products.end());
  }
}

TEST(ColumnProducts, OfSparseWithFilledColumnsAreThePlainSums) {
  const Data data = random_data();
  const std::vector<std::uint32_t> sparse = {2, 5, 6, 9}, filled = {1, 0, 4, 8, 7};
  for (const std::size_t old_sparse : {0U, 2U, 4U})
    for (const std::size_t old_filled : {0U, 3U, 5U}) {
      const std::vector<double> products =
          mixed_products({data.columns, data.root}, sparse, old_sparse, filled, old_filled);
      ASSERT_EQ(products.size(), sparse.size() * filled.size());
      for (std::size_t s = 0; s < sparse.size(); ++s)
        for (std::size_t d = 0; d < filled.size(); ++d) {
          const bool known = s < old_sparse && d < old_filled;
          EXPECT_NEAR(products[s * filled.size() + d], known ? 0 : plain(data, sparse[s], filled[d]), 1e-11);
        }
    }
}

TEST(ColumnProducts, DoNotDependOnTheOtherColumns) {
  const Data data = random_data();
  const ProductColumns of{data.columns, data.root};
  const std::vector<std::uint32_t> all = {1, 4, 7, 0, 10, 3, 8}, pair = {10, 4}, sparse = {6, 2}, one = {2};
  const double among_all = filled_products(of, all, 0)[4 * 5 / 2 + 1], among_two = filled_products(of, pair, 0)[1];
  EXPECT_EQ(among_all, among_two);
  EXPECT_EQ(mixed_products(of, sparse, 0, all, 0)[all.size() + 4], mixed_products(of, one, 0, pair, 0)[0]);
}

}  // namespace
}  // namespace rota::lasso
