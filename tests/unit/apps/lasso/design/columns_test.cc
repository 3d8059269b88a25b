// Sums over columns are right to the last bit.
#include "apps/lasso/design/columns.h"

#include <bit>

#include "tests/unit/apps/lasso/plain_matrix.h"

namespace rota::lasso {
namespace {

using tests::PlainEntry;
using tests::PlainMatrix;

std::vector<double> random_numbers(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = static_cast<double>(random()) * 0x1p-64 - 0.5;
  return numbers;
}

// Sums in the order that kernels.h specifies.
double in_four_lanes(const std::vector<double>& terms, std::size_t from = 0) {
  double lanes[4] = {};
  for (std::size_t k = from; k < terms.size(); ++k) lanes[(k - from) % 4] += terms[k];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}
double in_eight_lanes(const std::vector<double>& terms) {
  double lanes[8] = {};
  const std::size_t whole = terms.size() / 8 * 8;
  for (std::size_t k = 0; k < whole; ++k) lanes[k % 8] += terms[k];
  const double even = (lanes[0] + lanes[2]) + (lanes[4] + lanes[6]);
  const double odd = (lanes[1] + lanes[3]) + (lanes[5] + lanes[7]);
  return (even + odd) + in_four_lanes(terms, whole);
}

// The sum over a column of term(row, value).
template <typename Term>
double expected(const Columns& block, const std::vector<PlainEntry>& column, Term term) {
  std::vector<double> terms;
  if (!block.is_dense()) {
    for (const PlainEntry& entry : column) terms.push_back(term(entry.row, entry.value));
    return in_four_lanes(terms);
  }
  std::vector<double> values(block.rows(), 0.0);
  for (const PlainEntry& entry : column) values[entry.row] = entry.value;
  for (std::uint32_t row = 0; row < block.rows(); ++row) terms.push_back(term(row, values[row]));
  return in_eight_lanes(terms);
}

struct Case {
  double density;
  bool single;
  std::uint32_t rows, columns;
};
class ColumnSums : public testing::TestWithParam<Case> {};

TEST_P(ColumnSums, AreThoseOfSimpleLoopsInThePromisedOrder) {
  const auto [density, single, rows, columns] = GetParam();
  const PlainMatrix matrix = tests::random_matrix(rows + columns, rows, columns, density, single);
  const Columns block = single ? tests::columns_as<float>(matrix) : tests::columns_as<double>(matrix);
  ASSERT_EQ(block.rows(), rows);
  ASSERT_EQ(block.columns(), columns);
  EXPECT_EQ(block.is_dense(), density > 0.8);
  EXPECT_EQ(block.is_single(), single);
  EXPECT_EQ(tests::plain(block), matrix.columns);

  const std::vector<double> g = random_numbers(1, rows);
  std::vector<double> sweep(columns, -1);
  block.dot_all(g, sweep);
  for (std::uint32_t c = 0; c < columns; ++c) {
    const auto& x = matrix.columns[c];
    const double dot = expected(block, x, [&](std::uint32_t row, double value) { return value * g[row]; });
    EXPECT_EQ(block.dot(c, g), dot);
    EXPECT_EQ(sweep[c], dot);
    EXPECT_EQ(block.weighted_norm2(c, g),
              expected(block, x, [&](std::uint32_t row, double value) { return g[row] * value * value; }));
    EXPECT_EQ(block.entries(c), block.is_dense() ? rows : x.size());

    std::vector<double> r = random_numbers(2, rows), r_expected = r;
    block.axpy(c, -0.7, r);
    for (const PlainEntry& entry : x) r_expected[entry.row] += -0.7 * entry.value;
    EXPECT_EQ(r, r_expected);

    std::size_t k = 0;
    block.each(c, [&](std::uint32_t row, double value) {
      ASSERT_LT(k, x.size());
      EXPECT_EQ(row, x[k].row);
      EXPECT_EQ(value, x[k].value);
      ++k;
    });
    EXPECT_EQ(k, x.size());
  }
}

INSTANTIATE_TEST_SUITE_P(All, ColumnSums,
                         testing::Values(Case{0.1, false, 100, 40}, Case{0.1, true, 100, 40}, Case{0.5, false, 37, 300},
                                         Case{0.5, true, 37, 300}, Case{1, false, 100, 20}, Case{1, true, 100, 20},
                                         Case{0.95, false, 31, 9}, Case{0.95, true, 29, 9}, Case{1, true, 1, 5},
                                         Case{0.02, false, 5, 700}, Case{0.05, true, 3000, 3}));

TEST(Columns, AnEmptyBlockIsABlock) {
  const Columns none;
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(none.columns(), 0U);
  none.dot_all({}, {});
  const PlainMatrix matrix = tests::random_matrix(1, 10, 10, 0, true);
  const Columns empty = tests::columns_of(matrix);
  EXPECT_EQ(empty.entries(), 0U);
}

}  // namespace
}  // namespace rota::lasso
