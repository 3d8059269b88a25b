// Blocks are built right, and sums over columns are right to the last bit.
#include "apps/lasso/design/columns.h"

#include <bit>

#include "tests/unit/apps/lasso/plain_matrix.h"

namespace rota::linear {
namespace {

using tests::PlainColumns;
using tests::PlainEntry;
using tests::PlainMatrix;

Columns columns_of(const PlainMatrix& matrix, Precision precision = Precision::automatic) {
  return build_columns(pieces_of(matrix, 7), whole(matrix), precision, EntryOrder::by_rows, Keep::all);
}

std::vector<double> random_numbers(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = static_cast<double>(random()) * 0x1p-64 - 0.5;
  return numbers;
}

// Sums in the order that design_kernels.h specifies.
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
  const Columns block = columns_of(matrix);
  ASSERT_EQ(block.rows(), rows);
  ASSERT_EQ(block.columns(), columns);
  EXPECT_EQ(block.is_dense(), density > kDenseShare);
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

TEST(Columns, PrecisionChangesNoSumIfValuesAreExact) {
  const PlainMatrix matrix = tests::random_matrix(1, 200, 30, 0.3, true);
  const Columns single = columns_of(matrix, Precision::single_precision);
  const Columns twice = columns_of(matrix, Precision::double_precision);
  EXPECT_TRUE(single.is_single());
  EXPECT_FALSE(twice.is_single());
  const std::vector<double> g = random_numbers(3, 200);
  for (std::uint32_t c = 0; c < 30; ++c) EXPECT_EQ(single.dot(c, g), twice.dot(c, g));
}

TEST(Columns, SinglePrecisionRounds) {
  const PlainMatrix matrix = tests::random_matrix(1, 50, 30, 0.3, false);
  const Columns single = columns_of(matrix, Precision::single_precision);
  EXPECT_TRUE(single.is_single());
  PlainColumns rounded = matrix.columns;
  for (auto& column : rounded)
    for (PlainEntry& entry : column) entry.value = static_cast<double>(static_cast<float>(entry.value));
  EXPECT_EQ(tests::plain(single), rounded);
}

TEST(Columns, ValuesBeyondSinglePrecisionAreRefused) {
  PlainMatrix matrix = tests::random_matrix(1, 50, 30, 0.3, false);
  matrix.columns[20][2].value = 1e39;
  matrix.columns[25][2].value = 1e40;
  try {
    columns_of(matrix, Precision::single_precision);
    FAIL();
  } catch (const UnheldValue& error) {
    EXPECT_EQ(error.column, 20U);
  }
  EXPECT_FALSE(columns_of(matrix).is_single());
  matrix.columns[20][2].value = 1e-50;  // rounds to 0, but leaves the rest of its column
  matrix.columns[25] = {{3, 1e-46}, {4, -1e-60}};
  try {
    columns_of(matrix, Precision::single_precision);
    FAIL();
  } catch (const UnheldValue& error) {
    EXPECT_STREQ(error.what(), "all values in column 26 are too small for single precision");
  }
  EXPECT_FALSE(columns_of(matrix).is_single());
}

TEST(Columns, OneDoubleOfABlockMakesItDouble) {
  PlainMatrix matrix = tests::random_matrix(1, 50, 600, 0.3, true);
  matrix.columns[599].front().value = 0.1;
  const auto pieces = pieces_of(matrix, 50);
  const auto block = [&](std::uint64_t first, std::uint64_t end) {
    return build_columns(pieces, {0, 50, first, end}, Precision::automatic, EntryOrder::by_rows, Keep::all);
  };
  EXPECT_FALSE(block(0, 600).is_single());
  EXPECT_TRUE(block(0, 599).is_single()) << "a bucket is cut, but the values in the block decide";
  EXPECT_FALSE(block(599, 600).is_single());
}

TEST(Columns, AnyPartHoweverThePiecesAreDivided) {
  std::mt19937_64 random(5);
  for (const std::uint32_t columns : {1U, 10U, 256U, 257U, 1000U}) {
    const PlainMatrix matrix = tests::random_matrix(columns, 60, columns, columns < 100 ? 0.9 : 0.1, false);
    for (const std::uint32_t piece_rows : {60U, 13U, 1U}) {
      const auto pieces = pieces_of(matrix, piece_rows);
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t r0 = random() % 61, r1 = r0 + random() % (61 - r0);
        const std::uint64_t c0 = random() % (columns + 1), c1 = c0 + random() % (columns + 1 - c0);
        const BlockRange range{r0, r1, c0, c1};
        const Columns block = build_columns(pieces, range, Precision::automatic, EntryOrder::by_rows, Keep::all);
        ASSERT_EQ(tests::plain(block), part_of(matrix, range));
        ASSERT_EQ(block.first_row(), r0);
        ASSERT_EQ(block.first_column(), c0);
      }
    }
  }
}

TEST(Columns, ReleasedMemoryIsNotUsedAgain) {
  const PlainMatrix matrix = tests::random_matrix(1, 40, 5000, 0.1, false);
  const auto pieces = pieces_of(matrix, 11);
  for (std::uint64_t first = 0; first < 5000;) {
    const std::uint64_t end = std::min<std::uint64_t>(5000, first + 700);
    const BlockRange range{0, 40, first, end};
    EXPECT_EQ(tests::plain(build_columns(pieces, range, Precision::automatic, EntryOrder::by_rows, Keep::later)),
              part_of(matrix, range));
    first = end;
  }
  const auto more = pieces_of(matrix, 11);
  for (const BlockRange& range : {BlockRange{0, 20, 0, 5000}, BlockRange{20, 40, 0, 5000}}) {
    const Keep keep = range.first_row == 20 ? Keep::nothing : Keep::all;
    EXPECT_EQ(tests::plain(build_columns(more, range, Precision::automatic, EntryOrder::by_rows, keep)),
              part_of(matrix, range));
  }
}

// More entries than are sorted at a time, and wide columns only after many narrow ones.
TEST(Columns, AWidePieceOfManyEntries) {
  PlainMatrix matrix{2000, PlainColumns(70'000)};
  std::vector<DesignPiece> pieces(1);
  pieces[0].rows = matrix.rows;
  const auto add = [&](std::uint32_t row, std::uint32_t column) {
    matrix.columns[column].push_back({row, row + column * 0.125});
    pieces[0].entries.add(row, column, row + column * 0.125);
  };
  for (std::uint32_t row = 0; row < 1500; ++row)
    for (std::uint32_t column = row == 0 ? 1 : 0; column < 100; ++column) add(row, column);
  for (std::uint32_t row = 1500; row < 2000; ++row)
    for (std::uint32_t column = row - 1400; column < 70'000; column += 500) add(row, column);
  align_buckets(pieces);
  for (const auto& [first, end] : {std::pair{0, 99}, {99, 4000}, {4000, 70'000}}) {
    const BlockRange range{0, 2000, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end)};
    EXPECT_EQ(tests::plain(build_columns(pieces, range, Precision::automatic, EntryOrder::by_rows, Keep::later)),
              part_of(matrix, range));
  }
}

TEST(Columns, EntriesInAnyOrderAreSorted) {
  const PlainMatrix matrix = tests::random_matrix(3, 80, 500, 0.2, false);
  struct Place {
    std::uint32_t row, column;
    double value;
  };
  std::vector<Place> places;
  for (std::uint32_t c = 0; c < 500; ++c)
    for (const PlainEntry& entry : matrix.columns[c]) places.push_back({entry.row, c, entry.value});
  std::mt19937_64 random(4);
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random() % i]);
  std::vector<DesignPiece> pieces(1);
  pieces[0].rows = 80;
  for (const Place& place : places) pieces[0].entries.add(place.row, place.column, place.value);
  const auto build = [&] {
    align_buckets(pieces);
    return build_columns(pieces, whole(matrix), Precision::automatic, EntryOrder::any, Keep::all);
  };
  EXPECT_EQ(tests::plain(build()), matrix.columns);
  pieces[0].entries.add(matrix.columns[77][3].row, 77, 1.5);
  pieces[0].entries.add(matrix.columns[490][0].row, 490, 1.5);
  try {
    build();
    FAIL();
  } catch (const RepeatedEntry& error) {
    EXPECT_EQ(error.column, 77U);
    EXPECT_EQ(error.row, matrix.columns[77][3].row);
  }
}

TEST(Columns, AnEmptyBlockIsABlock) {
  const Columns none;
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(none.columns(), 0U);
  none.dot_all({}, {});
  const PlainMatrix matrix = tests::random_matrix(1, 10, 10, 0, true);
  const Columns empty = columns_of(matrix);
  EXPECT_EQ(empty.entries(), 0U);
}

}  // namespace
}  // namespace rota::linear
