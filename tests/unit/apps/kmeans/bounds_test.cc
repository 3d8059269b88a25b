#include "apps/kmeans/bounds.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/unit/apps/kmeans/plain_rows.h"

namespace rota::kmeans {
namespace {

using tests::Dense;
using tests::random_rows;
using tests::sparse;
using tests::table_of;

void make(Centres& centres, const std::vector<double>& table, std::uint32_t clusters,
          const std::vector<std::uint32_t>* changed = nullptr) {
  centres.begin(table, clusters, true, changed);
  centres.measure_all();
}

std::vector<double> squares_of(const io::SparseMatrix& rows) {
  std::vector<double> squares;
  for (std::uint64_t r = 0; r < rows.rows; ++r) squares.push_back(square_of(rows[r].values));
  return squares;
}

// The clusters whose sums or counts differ.
std::vector<std::uint32_t> changed_between(const std::vector<double>& a, const std::vector<double>& b,
                                           std::uint32_t clusters) {
  std::set<std::uint32_t> changed;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (a[i] != b[i]) changed.insert(static_cast<std::uint32_t>(i % clusters));
  return {changed.begin(), changed.end()};
}

// Of a row, which is computed if it is not known.
double distance_of(const RowState& state, const Centres& centres, const io::SparseRow& row) {
  return state.distance == kUnknown ? centres.distance(row, state.nearest) : state.distance;
}

// Lloyd's steps from the first rows as centres, or from given clusters: after each the clusters and distances are those
// of all distances, bit for bit.
void expect_plain(const Dense& data, std::uint32_t clusters, const std::string& name,
                  std::vector<std::uint32_t> members = {}) {
  const io::SparseMatrix rows = sparse(data);
  const std::vector<double> squares = squares_of(rows);
  const std::size_t columns = data.front().size();
  if (members.empty())
    for (std::uint32_t r = 0; r < data.size(); ++r) members.push_back(std::min(r, clusters - 1));
  std::vector<RowState> states(data.size());
  std::vector<double> scores(clusters);
  Centres centres;
  Bounds bounds;
  std::vector<double> before;
  for (int step = 0; step < 15; ++step) {
    const std::vector<double> table = table_of(data, members, columns, clusters);
    const bool known = step % 4 != 0;  // which clusters have changed
    const std::vector<std::uint32_t> changed =
        known ? changed_between(before, table, clusters) : std::vector<std::uint32_t>();
    make(centres, table, clusters, known ? &changed : nullptr);
    before = table;
    const Centres plain(table, clusters);
    if (step == 7) continue;  // centres that the rows do not see
    if (step == 11) bounds.forget();
    bounds.assign(centres, rows, squares, states);
    for (std::size_t r = 0; r < data.size(); ++r) {
      const auto [nearest, distance] = plain.nearest(rows[r], squares[r], scores);
      ASSERT_EQ(states[r].nearest, nearest) << name << ", row " << r << ", step " << step;
      ASSERT_EQ(distance_of(states[r], centres, rows[r]), distance) << name << ", row " << r << ", step " << step;
      ASSERT_EQ(states[r].target, nearest);
      members[r] = nearest;
    }
    // As for rows that go to empty clusters, or after a restart: some move for no reason.
    if (step % 4 == 3) members[static_cast<std::size_t>(step)] = static_cast<std::uint32_t>(step) % clusters;
  }
}

TEST(Bounds, TheClustersAreThoseOfAllDistances) {
  for (const std::uint32_t clusters : {1U, 2U, 5U, 20U, 70U, 71U, 133U}) {
    const std::size_t columns = clusters % 2 == 0 ? 9 : 40;  // many: groups are scored one by one
    const Dense data = random_rows(400, columns, clusters);
    expect_plain(data, clusters, "random, clusters: " + std::to_string(clusters));
    Dense groups = data;  // near centres, so that most rows stay
    for (std::size_t r = 0; r < groups.size(); ++r)
      for (std::size_t j = 0; j < columns; ++j) groups[r][j] = 0.01 * data[r][j] + data[r % clusters][j];
    expect_plain(groups, clusters, "groups, clusters: " + std::to_string(clusters));
  }
}

TEST(Bounds, AtAnyScaleAndFarFromTheOrigin) {
  const Dense data = random_rows(300, 6, 2);
  for (const double scale : {0x1p-460, 1e-45, 1e-12, 1e12, 1e45, 0x1p460})
    for (const double shift : {0.0, 1.0, 1e3, 1e9}) {  // 1e3: the errors of single precision matter
      Dense moved = data;
      for (auto& row : moved)
        for (double& x : row) x = scale * (x + shift);
      expect_plain(moved, 12, std::to_string(scale) + " " + std::to_string(shift));
    }
  Dense mixed = data;  // one column of another scale
  for (std::size_t r = 0; r < mixed.size(); ++r) mixed[r][2] *= 1e12;
  expect_plain(mixed, 12, "mixed");
}

TEST(Bounds, TiesAndEqualRows) {
  Dense grid;
  for (int copy = 0; copy < 3; ++copy)
    for (int i = 0; i < 64; ++i) grid.push_back({double(i % 4), double(i / 4 % 4), double(i / 16)});
  for (const std::uint32_t clusters : {2U, 4U, 9U, 40U}) expect_plain(grid, clusters, "grid");
  expect_plain(Dense(50, {1, 2, 3}), 5, "all equal");
  // Cluster r % 8 has a centre that is the mean of equal rows, rounded, and each row has another at the same place.
  Dense tenths;
  std::vector<std::uint32_t> members;
  for (std::uint32_t r = 0; r < 160; ++r) {
    tenths.push_back({0.1 * (r % 5), 0.7});
    members.push_back(r % 5 + 5 * (r % 3));
  }
  expect_plain(tenths, 15, "tenths", members);
}

// Zeros and ones, of which many rows are equally near to several of the rows that are centres; integers near the most
// whose squares are exact in single precision, and beyond.
TEST(Bounds, RowsOfIntegersAreComparedExactly) {
  constexpr std::uint32_t kClusters = 40, kColumns = 12;
  for (const std::uint32_t most : {1U, 3U, 580U, 5000U}) {
    Random random({most, 2, 3, 4});
    Dense data(500, std::vector<double>(kColumns));
    for (auto& row : data)
      for (double& x : row) x = static_cast<double>(random.below(2) * (most - random.below((most + 9) / 10)));
    std::vector<std::uint32_t> members(kClusters);
    std::iota(members.begin(), members.end(), 0);
    const std::vector<double> table =
        table_of(Dense(data.begin(), data.begin() + kClusters), members, kColumns, kClusters);
    const io::SparseMatrix rows = sparse(data);
    const std::vector<double> squares = squares_of(rows);
    std::vector<RowState> states(data.size());
    std::vector<double> scores(kClusters);
    Centres centres;
    make(centres, table, kClusters);
    EXPECT_EQ(centres.exact(), most < 5000);
    Bounds().assign(centres, rows, squares, states);
    for (std::size_t r = 0; r < data.size(); ++r) {
      const auto [nearest, distance] = centres.nearest(rows[r], squares[r], scores);
      ASSERT_EQ(states[r].nearest, nearest) << most << ", row " << r;
      ASSERT_EQ(distance_of(states[r], centres, rows[r]), distance) << most << ", row " << r;
    }
  }
}

TEST(Bounds, EmptyClusters) {
  const Dense data = random_rows(200, 5, 3);
  std::vector<std::uint32_t> members(data.size());
  for (std::uint32_t r = 0; r < data.size(); ++r) members[r] = r % 3 * 7;  // of 30 clusters
  expect_plain(data, 30, "empty ones", members);
}

TEST(Bounds, ColumnsThatTheCentresLack) {
  const io::SparseMatrix rows = sparse({{1, 0, 5}, {0, 2, 1}, {9, 9, 0}});
  const std::vector<double> squares = squares_of(rows), table = {1, 9, 1, 9, 2, 1};  // two columns, two clusters
  Centres centres;
  make(centres, table, 2);
  std::vector<RowState> states(3);
  std::vector<double> scores(2);
  Bounds bounds;
  for (int time = 0; time < 2; ++time) {
    bounds.assign(centres, rows, squares, states);
    for (std::uint64_t r = 0; r < 3; ++r) {
      const auto [nearest, distance] = centres.nearest(rows[r], squares[r], scores);
      EXPECT_EQ(states[r].nearest, nearest);
      EXPECT_EQ(distance_of(states[r], centres, rows[r]), distance);
    }
  }
}

// The second centres times their scale are the first ones times theirs, as if none had moved.
TEST(Bounds, DoNotContinueFromOneScaleToAnother) {
  const io::SparseMatrix rows = sparse({{0x1.2p-40}, {0x1.ep-40}});
  const std::vector<double> squares = squares_of(rows);
  std::vector<RowState> states(2);
  Centres centres;
  Bounds bounds;
  const std::vector<double> first = {0x1p-40, 0x1p-39, 1, 1};
  make(centres, first, 2);
  bounds.assign(centres, rows, squares, states);
  EXPECT_EQ(states[0].nearest, 0U);
  EXPECT_EQ(states[1].nearest, 1U);
  const double scale = centres.scale();
  const std::vector<double> small = {0x1p-79, 0x1p-78, 1, 1};
  make(centres, small, 2);
  EXPECT_EQ(0x1p-40 * scale, 0x1p-79 * centres.scale());
  bounds.assign(centres, rows, squares, states);
  EXPECT_EQ(states[0].nearest, 1U);
  EXPECT_EQ(states[1].nearest, 1U);
}

// Rows that are others meanwhile show which were read.
TEST(Bounds, RowsNearTheirCentresAreNotRead) {
  Dense data, others;
  std::vector<std::uint32_t> members;
  for (std::uint32_t r = 0; r < 90; ++r) {
    data.push_back({1.0 + r % 9, 0.01 * (r / 9), 3});
    others.push_back({9.0 - r % 9, 1, 3});
    members.push_back(r % 9);
  }
  const std::vector<double> squares = squares_of(sparse(data));
  Centres centres;
  Bounds bounds;
  std::vector<RowState> states(data.size());
  const std::vector<double> table = table_of(data, members, 3, 9);
  make(centres, table, 9);
  bounds.assign(centres, sparse(data), squares, states);
  for (RowState& row : states) row.distance = 7;
  std::vector<double> moved = table;
  moved[9 + 4] += 0.01;  // the centre of cluster 4
  const std::vector<std::uint32_t> changed = {4};
  make(centres, moved, 9, &changed);
  bounds.assign(centres, sparse(others), squares, states);
  for (std::size_t r = 0; r < data.size(); ++r) {
    EXPECT_EQ(states[r].nearest, members[r]);
    EXPECT_EQ(states[r].distance, members[r] == 4 ? kUnknown : 7);
  }
  bounds.forget();
  bounds.assign(centres, sparse(others), squares_of(sparse(others)), states);
  for (std::size_t r = 0; r < data.size(); ++r) EXPECT_EQ(states[r].nearest, 8 - r % 9);
}

}  // namespace
}  // namespace rota::kmeans
