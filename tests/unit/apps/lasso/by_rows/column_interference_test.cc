#include "apps/lasso/by_rows/column_interference.h"

#include "tests/unit/apps/lasso/plain_matrix.h"

namespace rota::lasso {
namespace {

// Two blocks of the matrix's rows.
RowBlocks row_blocks_of(const tests::PlainMatrix& matrix) {
  const std::uint32_t third = matrix.rows / 3;
  const auto block = [&](std::uint32_t first, std::uint32_t end) {
    const tests::PlainMatrix part{end - first, tests::part_of(matrix, {first, end, 0, matrix.columns.size()})};
    return std::make_shared<const Columns>(tests::columns_as<double>(part, first));
  };
  return RowBlocks({block(0, third), block(third, matrix.rows)});
}

// The cosine of two columns, about their means if `centred`.
double cosine(const tests::PlainMatrix& matrix, Key a, Key b, bool centred) {
  std::vector<double> x(matrix.rows), y(matrix.rows);
  for (const auto& [row, value] : matrix.columns[a]) x[row] = value;
  for (const auto& [row, value] : matrix.columns[b]) y[row] = value;
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; centred && i < x.size(); ++i) mean_x += x[i] / matrix.rows, mean_y += y[i] / matrix.rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

bool share_a_row(const tests::PlainMatrix& matrix, Key a, Key b) {
  for (const auto& x : matrix.columns[a])
    for (const auto& y : matrix.columns[b])
      if (x.row == y.row) return true;
  return false;
}

TEST(ColumnInterference, IsTheCosineOfTheBusyColumns) {
  for (const double density : {0.05, 0.2, 0.9}) {
    for (const bool centred : {false, true}) {
      const tests::PlainMatrix matrix = tests::random_matrix(3, 50, 40, density, true);
      const double least = 0.15;
      const auto test = column_interference(row_blocks_of(matrix), least, centred);
      std::mt19937_64 random(4);
      std::set<Key> busy;
      int interfering = 0;
      for (int step = 0; step < 2000; ++step) {
        const Key key = random() % 40;
        if (busy.contains(key)) {
          test->leave(key);
          busy.erase(key);
          continue;
        }
        std::vector<Key> found;
        test->find(key, found);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "each once";
        for (const Key other : busy) {
          const double exact = std::abs(cosine(matrix, key, other, centred));
          const bool is_found = std::binary_search(found.begin(), found.end(), other);
          if (std::abs(exact - least) < 1e-5 || (density < 0.25 && !share_a_row(matrix, key, other))) continue;
          EXPECT_EQ(is_found, exact > least) << key << " and " << other;
          interfering += is_found ? 1 : 0;
        }
        for (const Key other : found) EXPECT_TRUE(busy.contains(other));
        if (random() % 3 != 0) test->enter(key), busy.insert(key);
      }
      EXPECT_GT(interfering, 100);
    }
  }
}

TEST(ColumnInterference, LongColumnsAreCompared) {
  // Column 1 follows column 0, column 2 does not; 6,000 rows, of which a sample is read.
  for (const bool dense : {false, true}) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    tests::PlainMatrix matrix{6000, tests::PlainColumns(dense ? 3 : 20)};
    for (std::uint32_t i = 0; i < matrix.rows; ++i) {
      if (!dense && i % 5 != 0) continue;
      const double x = normal(random);
      matrix.columns[0].push_back({i, x});
      matrix.columns[1].push_back({i, 0.3 * x + std::sqrt(1 - 0.09) * normal(random)});
      matrix.columns[2].push_back({i, normal(random)});
    }
    for (std::size_t j = 3; j < matrix.columns.size(); ++j) matrix.columns[j] = matrix.columns[2];
    const auto test = column_interference(row_blocks_of(matrix), 0.15, true);
    test->enter(1);
    test->enter(2);
    std::vector<Key> found;
    test->find(0, found);
    EXPECT_EQ(found, std::vector<Key>{1});
  }
}

TEST(ColumnInterference, EmptyAndConstantColumnsInterfereWithNothing) {
  for (const std::uint32_t rows : {2U, 40U}) {
    tests::PlainMatrix matrix{rows, tests::PlainColumns(4)};
    for (std::uint32_t i = 0; i < rows; ++i) matrix.columns[1].push_back({i, 3.0});
    matrix.columns[2].push_back({0, 1.0});
    const auto test = column_interference(row_blocks_of(matrix), 0.1, true);
    for (const Key busy : {0, 1, 2}) test->enter(busy);
    std::vector<Key> found;
    test->find(3, found);
    EXPECT_TRUE(found.empty());
    test->leave(1);
    test->find(1, found);
    EXPECT_TRUE(found.empty());
  }
}

}  // namespace
}  // namespace rota::lasso
