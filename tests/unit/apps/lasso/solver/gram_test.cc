#include "apps/lasso/solver/gram.h"

namespace rota::lasso::gram {
namespace {

constexpr std::size_t kRows = 700;    // more than a chunk of dense columns
constexpr std::size_t kColumns = 45;  // more filled ones than are summed at once

struct Data {
  WorkingColumns columns{kRows};
  std::vector<std::vector<double>> dense;
  std::vector<double> weights;
};

// Every third column fills many rows, stored dense or not; two sparse ones share no row.
Data random_data() {
  Data data;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t j = 0; j < kColumns; ++j) {
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    data.dense.emplace_back(kRows, 0.0);
    for (std::uint32_t i = 0; i < kRows; ++i) {
      if (uniform(random) > (j % 3 != 0 ? 0.1 : j % 2 == 0 ? 0.8 : 0.35) || (j == 1 && i >= 300) || (j == 2 && i < 300))
        continue;
      rows.push_back(i);
      values.push_back(normal(random));
      data.dense[j][i] = values.back();
    }
    data.columns.add<double>(j, 1, rows, values);
  }
  for (std::size_t i = 0; i < kRows; ++i) data.weights.push_back(i % 7 == 0 ? 0 : uniform(random));
  return data;
}

std::vector<double> all_products(const Gram& gram, std::span<const std::uint32_t> columns) {
  std::vector<double> products;
  for (const std::uint32_t a : columns)
    for (const std::uint32_t b : columns) products.push_back(gram.product(a, b));
  return products;
}

TEST(Gram, HasTheProductsOfColumns) {
  const Data data = random_data();
  Gram gram;
  gram.begin(data.weights);
  std::vector<std::uint32_t> columns;
  for (std::uint32_t j = 0; j + 1 < kColumns; ++j) columns.push_back(j * 7 % 44);
  gram.add(data.columns, columns);
  EXPECT_TRUE(gram.has(9));
  EXPECT_FALSE(gram.has(44));
  const std::vector<double> products = all_products(gram, columns);
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b) {
      double product = 0;
      for (std::size_t i = 0; i < kRows; ++i)
        product += data.weights[i] * data.dense[columns[a]][i] * data.dense[columns[b]][i];
      EXPECT_NEAR(products[a * columns.size() + b], product, 1e-12) << columns[a] << ' ' << columns[b];
    }
  }
}

TEST(Gram, ProductsDoNotDependOnTheOrderInWhichColumnsCame) {
  const Data data = random_data();
  std::vector<std::uint32_t> columns;
  for (std::uint32_t j = 0; j < kColumns; ++j) columns.push_back(j);
  Gram at_once, one_by_one;
  at_once.begin(data.weights);
  one_by_one.begin(data.weights);
  at_once.add(data.columns, columns);
  for (std::uint32_t j = 0; j < kColumns; ++j) {
    const std::uint32_t one[] = {j * 7 % 45};
    one_by_one.add(data.columns, one);
  }
  EXPECT_EQ(all_products(at_once, columns), all_products(one_by_one, columns));
}

// More numbers than are laid out by row at once.
TEST(Gram, SumsTheRowsOfManyNumbersInTheirOrder) {
  constexpr std::size_t kManyRows = 300'000, kMany = 30;
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  WorkingColumns columns{kManyRows};
  std::vector<std::vector<double>> dense;
  const std::vector<double> weights(kManyRows, 0.25);
  for (std::size_t j = 0; j < kMany; ++j) {
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    dense.emplace_back(kManyRows, 0.0);
    for (std::uint32_t i = 0; i < kManyRows; ++i) {
      if (uniform(random) > 0.2) continue;
      rows.push_back(i);
      values.push_back(normal(random));
      dense[j][i] = values.back();
    }
    columns.add(j, 1, rows, values);
  }
  std::vector<double> products;
  for (std::uint32_t a = 0; a < kMany; ++a)
    for (std::uint32_t b = 0; b <= a; ++b) {
      double& product = products.emplace_back(0);
      for (std::size_t i = 0; i < kManyRows; ++i) product += dense[a][i] * 0.5 * (dense[b][i] * 0.5);
    }
  for (const std::size_t first : {1, 15, 29}) {  // all at once, and some of them through their own rows
    Gram gram;
    gram.begin(weights);
    std::vector<std::uint32_t> some, rest;
    for (std::uint32_t j = 0; j < kMany; ++j) (j < first ? some : rest).push_back(j);
    gram.add(columns, some);
    gram.add(columns, rest);
    auto product = products.begin();
    for (std::uint32_t a = 0; a < kMany; ++a)
      for (std::uint32_t b = 0; b <= a; ++b) ASSERT_EQ(gram.product(a, b), *product++) << a << ' ' << b;
  }
}

TEST(Gram, KeepsTheColumnsThatAreKept) {
  Data data = random_data();
  Gram gram, fresh;
  gram.begin(data.weights);
  fresh.begin(data.weights);
  const std::vector<std::uint32_t> columns = {5, 0, 8, 3, 2, 11};
  gram.add(data.columns, columns);
  std::vector<bool> keep(kColumns, true);
  keep[0] = keep[1] = keep[2] = false;
  data.columns.keep(keep);
  gram.keep(keep);
  const std::vector<std::uint32_t> left = {2, 5, 0, 8};  // 5, 8, 3 and 11 before
  EXPECT_EQ(gram.columns(), left);
  EXPECT_FALSE(gram.has(1));
  fresh.add(data.columns, left);
  EXPECT_EQ(all_products(gram, left), all_products(fresh, left));
  const std::vector<std::uint32_t> more = {1, 3}, all = {0, 1, 2, 3, 5, 8};
  gram.add(data.columns, more);
  fresh.add(data.columns, more);
  EXPECT_EQ(all_products(gram, all), all_products(fresh, all));
}

}  // namespace
}  // namespace rota::lasso::gram
