#include "apps/lasso/solver/products.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kRows = 200, kColumns = 9;
constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// Columns in two groups.
struct Data {
  std::vector<SparseRows> rows{{{0}, {}, {}}, {{0}, {}, {}}};
  std::vector<std::vector<double>> dense{kColumns, std::vector<double>(kRows, 0.0)};
  std::vector<double> root;
};

Data random_data() {
  Data data;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t i = 0; i < kRows; ++i) {
    data.root.push_back(i % 5 == 0 ? 0 : uniform(random));
    for (std::uint32_t j = 0; j < kColumns; ++j) {
      if (uniform(random) > 0.7) continue;
      SparseRows& group = data.rows[j < 4 ? 0 : 1];
      group.column.push_back(j);
      group.value.push_back(data.dense[j][i] = normal(random));
    }
    for (SparseRows& group : data.rows) group.begin.push_back(group.column.size());
  }
  return data;
}

TEST(RowProducts, AreTheSumsOverRowsInTheirOrder) {
  const Data data = random_data();
  const std::vector<std::uint32_t> slot_of = {0, kNoSlot, 1, 2, kNoSlot, 3, 4, kNoSlot, 5},
                                   columns = {0, 2, 3, 5, 6, 8};
  const std::vector<double> products = row_products(data.rows, data.root, slot_of, columns.size());
  ASSERT_EQ(products.size(), 36U);
  for (std::size_t t = 0; t < columns.size(); ++t) {
    for (std::size_t s = 0; s <= t; ++s) {
      double sum = 0;
      for (std::size_t i = 0; i < kRows; ++i)
        sum += data.dense[columns[t]][i] * data.root[i] * (data.dense[columns[s]][i] * data.root[i]);
      EXPECT_NE(sum, 0);
      EXPECT_EQ(products[t * columns.size() + s], sum) << s << ' ' << t;
    }
  }
}

TEST(RowProducts, OfNoColumnsThereAreNone) {
  const Data data = random_data();
  EXPECT_TRUE(row_products(data.rows, data.root, std::vector<std::uint32_t>(kColumns, kNoSlot), 0).empty());
}

}  // namespace
}  // namespace rota::lasso
