#include "apps/kmeans/centres.h"

#include "tests/unit/apps/kmeans/plain_rows.h"

namespace rota::kmeans {
namespace {

using tests::Dense;
using tests::random_rows;
using tests::sparse;
using tests::squared_distance;
using tests::table_of;

std::vector<RowState> assigned(const io::SparseMatrix& rows, const Centres& centres) {
  std::vector<RowState> found(rows.rows);
  std::vector<double> scores(centres.clusters());
  for (std::uint64_t r = 0; r < rows.rows; ++r)
    std::tie(found[r].nearest, found[r].distance) = centres.nearest(rows[r], square_of(rows[r].values), scores);
  return found;
}

std::vector<std::uint32_t> clusters_of(const std::vector<RowState>& rows) {
  std::vector<std::uint32_t> clusters;
  for (const RowState& row : rows) clusters.push_back(row.nearest);
  return clusters;
}

double inertia_of(const std::vector<RowState>& rows) {
  double sum = 0;
  for (const RowState& row : rows) sum += row.distance;
  return sum;
}

double norm_of(const std::vector<double>& centre) {
  return squared_distance(centre, std::vector<double>(centre.size()));
}

std::vector<double> centre(const Centres& centres, std::uint32_t k) {
  std::vector<double> numbers(centres.columns());
  for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = centres.value(j, k);
  return numbers;
}

// All widths of the inner loop: 16 clusters at once, 4, and 1.
TEST(Centres, NearestIsThatOfPlainLoops) {
  for (const std::uint32_t clusters : {1U, 3U, 4U, 7U, 16U, 23U, 37U}) {
    const Dense rows = random_rows(200, 15, clusters);
    std::vector<std::uint32_t> members(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) members[r] = static_cast<std::uint32_t>(r * r % clusters);
    const std::vector<double> table = table_of(rows, members, 15, clusters);
    const Centres centres(table, clusters);
    const std::vector<RowState> found = assigned(sparse(rows), centres);
    double inertia = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t k = 0; k < clusters; ++k)
        if (centres.count(k) > 0) least = std::min(least, squared_distance(rows[r], centre(centres, k)));
      EXPECT_NEAR(squared_distance(rows[r], centre(centres, found[r].nearest)), least, 1e-13);
      EXPECT_NEAR(centres.distance(sparse(rows)[r], found[r].nearest), least, 1e-13);
      inertia += least;
    }
    EXPECT_NEAR(inertia_of(found), inertia, 1e-12 * inertia);
  }
}

TEST(Centres, OfEquallyNearOnesTheFirst) {
  const std::vector<double> table = {1, -1, 1, 1, 1, 1};  // one column, and three members
  const Centres centres(table, 3);
  std::vector<double> scores(3);
  const std::uint32_t column = 0;
  const double right = 5, left = -5;
  EXPECT_EQ(centres.nearest({{&column, 1}, {&right, 1}}, 25, scores).first, 0U);
  EXPECT_EQ(centres.nearest({{&column, 1}, {&left, 1}}, 25, scores).first, 1U);
  EXPECT_EQ(centres.nearest({}, 0, scores).first, 0U);
}

TEST(Centres, ColumnsThatTheyLackCountAsZero) {
  const std::vector<double> table = {1, 5, 1, 1};
  const Centres centres(table, 2);
  const std::uint32_t columns[] = {0, 9};
  const double values[] = {4, 3};
  std::vector<double> scores(2);
  const auto [cluster, distance] = centres.nearest({columns, values}, 25, scores);
  EXPECT_EQ(cluster, 1U);
  EXPECT_DOUBLE_EQ(distance, 1 + 9);
}

// Seconds since 1970: |c|^2 is 2.9e18, of which a double has multiples of 512.
TEST(Centres, FarFromTheOriginTheNearestIsStillTheNearest) {
  for (const double shift : {0.0, 1.7e9, -3e12}) {
    // A column that all rows have, and two that most rows lack; the clusters differ by 1 in any of them.
    const Dense centres_at = {{shift, 0, 0}, {shift + 1, 0, 0}, {shift, 1, 0}, {shift, 0, 0.25}, {shift, 1, 0}};
    const std::vector<double> table = table_of(centres_at, {0, 1, 2, 3, 4}, 3, 5);
    const Centres centres(table, 5);
    const Dense rows = {
        {shift + 0.25, 0, 0}, {shift + 1, 0, 0}, {shift, 0.75, 0}, {shift, 0, 0.25}, {shift + 1, 0, 0.125}};
    const std::vector<RowState> found = assigned(sparse(rows), centres);
    EXPECT_EQ(clusters_of(found), (std::vector<std::uint32_t>{0, 1, 2, 3, 1})) << shift;
    EXPECT_DOUBLE_EQ(inertia_of(found), 0.0625 + 0.0625 + 0.015625) << shift;
    EXPECT_EQ(centres.distance(sparse(rows)[3], 3), 0) << shift;
    EXPECT_DOUBLE_EQ(centres.distance(sparse(rows)[0], 3), 0.125) << shift;
  }
}

TEST(Centres, AtAnyScaleTheAssignmentIsTheSame) {
  const Dense rows = random_rows(100, 8, 4);
  std::vector<std::uint32_t> members(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) members[r] = static_cast<std::uint32_t>(r % 7);
  const auto at = [&](double scale) {
    Dense scaled = rows;
    for (auto& row : scaled)
      for (double& x : row) x *= scale;
    const Centres centres(table_of(scaled, members, 8, 8), 8);  // cluster 7 is empty
    const std::vector<RowState> found = assigned(sparse(scaled), centres);
    return std::pair(found, centres.farthest(found));
  };
  const auto [one, far] = at(1);
  ASSERT_EQ(far.size(), 1U);
  for (const double scale : {0x1p-460, 1e-12, 1e-6, 1e6, 1e12, 0x1p460}) {
    const auto [other, other_far] = at(scale);
    EXPECT_EQ(clusters_of(other), clusters_of(one)) << scale;
    EXPECT_NEAR(inertia_of(other) / scale / scale, inertia_of(one), 1e-12 * inertia_of(one)) << scale;
    EXPECT_EQ(other_far, far) << scale;
  }
}

TEST(Centres, AColumnOfAnotherScaleTakesNoDigitsFromTheOthers) {
  std::vector<std::uint32_t> members(100);
  for (std::size_t r = 0; r < members.size(); ++r) members[r] = static_cast<std::uint32_t>(r % 7);
  for (const double scale : {1e-12, 1e-6, 1e6, 1e12}) {
    Dense rows = random_rows(100, 8, 4);
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r][0] = scale * static_cast<double>(r % 3);  // 0, and some equal ones
    const std::vector<double> table = table_of(rows, members, 8, 7);
    const Centres centres(table, 7);
    const std::vector<RowState> found = assigned(sparse(rows), centres);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t k = 0; k < 7; ++k) least = std::min(least, squared_distance(rows[r], centre(centres, k)));
      const double rounding = 2e-12 * least + 1e-31 * norm_of(centre(centres, found[r].nearest));
      EXPECT_LE(squared_distance(rows[r], centre(centres, found[r].nearest)), least + rounding) << scale;
      EXPECT_NEAR(found[r].distance, least, rounding) << scale;
    }
  }
}

TEST(Centres, NothingIsNearAnEmptyClusterAndTheFarthestRowsAreProposed) {
  // Clusters 1 and 3 are empty, for any rounding errors in their sums.
  const std::vector<double> table = {0, 1e-17, 10, -1e-17, 2, 0, 1, 0};
  const Centres centres(table, 4);
  EXPECT_EQ(centres.empty(), (std::vector<std::uint32_t>{1, 3}));
  const std::vector<RowState> found = assigned(sparse({{0}, {13}, {10}, {-4}, {1}}), centres);
  EXPECT_EQ(clusters_of(found), (std::vector<std::uint32_t>{0, 2, 2, 0, 0}));
  EXPECT_DOUBLE_EQ(inertia_of(found), 9 + 16 + 1);
  EXPECT_EQ(centres.farthest(found), (std::vector<std::uint32_t>{3, 1}));
}

TEST(Centres, ARowAtItsCentreHasDistanceZero) {
  const double third = 0.1 + 0.1 + 0.1;  // 3 c is not 0.3
  const std::vector<double> table = {third, 0, 3, 0};
  const Centres centres(table, 2);
  EXPECT_TRUE(centres.farthest(assigned(sparse({{0.1}, {0.1}, {0.1}}), centres)).empty());
  const std::vector<double> late = {3 * 1.7e9, 0, 3, 0};  // a second counts, beside 1.7e9
  const Centres beside(late, 2);
  EXPECT_EQ(beside.farthest(assigned(sparse({{1.7e9 - 1}, {1.7e9}, {1.7e9 + 1}}), beside)).size(), 1U);
}

}  // namespace
}  // namespace rota::kmeans
