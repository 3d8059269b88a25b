// tests/unit/wire/commits_test.cc
#include "wire/commits.h"

#include <gtest/gtest.h>

#include <random>

#include "wire/placement.h"

namespace rota {
namespace {

constexpr std::uint32_t kPartitions = 3;

std::vector<Table> tables() {
  return {{"rows", Table::Kind::shared, 100, 2, 1},
          {"slices", Table::Kind::sliced, 10, 0, 0},
          {"more", Table::Kind::shared, 5, 1, 1}};
}

Bytes bytes_of(const std::vector<double>& values) {
  Writer out;
  out.append(values.data(), values.size() * sizeof(double));
  return Bytes::from(out.take());
}

Deltas deltas(RoundId round, TableId table, std::vector<Key> keys, const std::vector<double>& values) {
  return {SharedRows{round, table, std::move(keys)}, bytes_of(values)};
}

// What a partition says of a round: its rows, each with the values key + offset and key - offset.
Deltas deltas_of(const SharedRows& rows, std::uint32_t partition, double offset) {
  SharedRows mine{rows.round, rows.table, {}};
  std::vector<double> values;
  for (const Key key : rows.keys) {
    if (partition_of_row(rows.table, key, kPartitions) != partition) continue;
    mine.keys.push_back(key);
    values.push_back(static_cast<double>(key) + offset);
    values.push_back(static_cast<double>(key) - offset);
  }
  return {mine, bytes_of(values)};
}

std::set<std::uint32_t> partitions_of(const SharedRows& rows) {
  std::set<std::uint32_t> all;
  for (const Key key : rows.keys) all.insert(partition_of_row(rows.table, key, kPartitions));
  return all;
}

TEST(Commits, RoundsComeWholeInOrderAndWithTheirRowsInOrder) {
  const std::vector<SharedRows> rounds = {{1, 0, {9, 3, 50}}, {2, 0, {3, 7, 8, 9}}, {3, 0, {1}}};
  for (unsigned seed = 0; seed < 50; ++seed) {
    Commits commits(tables(), kPartitions);
    std::vector<std::pair<std::size_t, std::uint32_t>> arrivals;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      ASSERT_TRUE(commits.begin(rounds[i]).ok());
      for (const std::uint32_t partition : partitions_of(rounds[i])) arrivals.emplace_back(i, partition);
    }
    std::shuffle(arrivals.begin(), arrivals.end(), std::mt19937(seed));
    std::vector<RoundDeltas> given;
    for (const auto& [i, partition] : arrivals) {
      auto whole = commits.commit(partition, deltas_of(rounds[i], partition, static_cast<double>(i + 1)));
      ASSERT_TRUE(whole.ok()) << whole.status().what();
      for (RoundDeltas& one : *whole) given.push_back(std::move(one));
    }
    ASSERT_EQ(given.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(given[i].round, i + 1);
      EXPECT_EQ(given[i].keys, rounds[i].keys);
    }
    EXPECT_EQ(given[0].values, (std::vector<double>{10, 8, 4, 2, 51, 49}));
    EXPECT_EQ(given[0].changes, given[0].values) << "they were zeros before";
    EXPECT_EQ(given[1].values, (std::vector<double>{5, 1, 9, 5, 10, 6, 11, 7}));
    EXPECT_EQ(given[1].changes, (std::vector<double>{1, -1, 9, 5, 10, 6, 1, -1}));
  }
}

TEST(Commits, ValuesAreAsLastGivenOut) {
  Commits commits(tables(), kPartitions);
  const SharedRows first{1, 0, {4}}, second{2, 0, {4, 5}};
  ASSERT_TRUE(commits.begin(first).ok());
  ASSERT_TRUE(commits.begin(second).ok());
  EXPECT_EQ(commits.values(2), (std::vector<double>{0, 0, 0, 0}));
  const std::uint32_t home = partition_of_row(0, 4, kPartitions);
  ASSERT_TRUE(commits.commit(home, deltas_of(first, home, 1)).ok());
  EXPECT_EQ(commits.values(2), (std::vector<double>{5, 3, 0, 0}));
  EXPECT_EQ(commits.rows(2).keys, second.keys);
  EXPECT_EQ(commits.partitions_of(2), (std::vector<std::uint32_t>{home, partition_of_row(0, 5, kPartitions)}));
}

TEST(Commits, ViewsShowKeyValueAndChange) {
  const RoundDeltas round{1, 2, {7, 8}, {1, 2, 3, 4}, {5, 6, 7, 8}};
  const auto views = round.views();
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[1].table, 2U);
  EXPECT_EQ(views[1].key, 8U);
  EXPECT_EQ(views[1].value[0], 3);
  EXPECT_EQ(views[1].change[1], 8);
}

TEST(Commits, ARoundThatBreaksTheRulesIsTheSchedulesFault) {
  Commits commits(tables(), kPartitions);
  const Status sliced = commits.begin({1, 1, {0}});
  EXPECT_EQ(sliced.code(), ExitCode::failed);
  EXPECT_EQ(sliced.what(), "schedule, round 1: table 1 is not a shared table");
  EXPECT_EQ(commits.begin({1, 9, {0}}).code(), ExitCode::failed);
  EXPECT_EQ(commits.begin({4, 0, {99, 100}}).what(), "schedule, round 4: table rows has no row 100");
  ASSERT_TRUE(commits.begin({5, 0, {1}}).ok());
  EXPECT_EQ(commits.begin({5, 0, {1}}).code(), ExitCode::bug);
}

TEST(Commits, ACommitThatIsNotDueIsRefused) {
  const SharedRows rows{1, 0, {4}};
  const std::uint32_t home = partition_of_row(0, 4, kPartitions);
  Commits commits(tables(), kPartitions);
  ASSERT_TRUE(commits.begin(rows).ok());
  EXPECT_FALSE(commits.commit((home + 1) % kPartitions, deltas_of(rows, home, 1)).ok()) << "another partition";
  EXPECT_FALSE(commits.commit(home, deltas_of({2, 0, {4}}, home, 1)).ok()) << "another round";
  ASSERT_TRUE(commits.commit(home, deltas_of(rows, home, 1)).ok());
  EXPECT_FALSE(commits.commit(home, deltas_of(rows, home, 1)).ok()) << "twice";
}

// Rows beyond those that were due were passed over.
TEST(Commits, ACommitOfOtherRowsIsRefused) {
  const std::uint32_t home = partition_of_row(0, 4, kPartitions);
  std::vector<Deltas> wrong;
  wrong.push_back(deltas(1, 0, {5}, {1, 2}));           // another row
  wrong.push_back(deltas(1, 0, {}, {}));                // none
  wrong.push_back(deltas(1, 0, {4, 5}, {1, 2, 3, 4}));  // one more
  wrong.push_back(deltas(1, 0, {4}, {1, 2, 3}));        // another width
  wrong.push_back(deltas(1, 2, {4}, {1, 2}));           // another table
  for (const Deltas& one : wrong) {
    Commits commits(tables(), kPartitions);
    ASSERT_TRUE(commits.begin({1, 0, {4}}).ok());
    const auto whole = commits.commit(home, one);
    ASSERT_FALSE(whole.ok());
    EXPECT_EQ(whole.status().code(), ExitCode::bug);
    EXPECT_NE(whole.status().what().find("round 1"), std::string::npos) << whole.status().what();
  }
}

TEST(Commits, RestoredRowsAreWhatChangesAreMeasuredFrom) {
  Commits commits(tables(), 1);
  EXPECT_FALSE(commits.restored());
  ASSERT_TRUE(commits.restore(deltas(0, 0, {4}, {10, 20})).ok());
  EXPECT_FALSE(commits.restored()) << "there are two shared tables";
  ASSERT_TRUE(commits.restore(deltas(0, 2, {}, {})).ok());
  EXPECT_TRUE(commits.restored());
  ASSERT_TRUE(commits.begin({7, 0, {4}}).ok());
  EXPECT_EQ(commits.values(7), (std::vector<double>{10, 20}));
  const auto whole = commits.commit(0, deltas(7, 0, {4}, {11, 18}));
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->front().changes, (std::vector<double>{1, -2}));
}

TEST(Commits, RestoredRowsThatDoNotFitAreRefused) {
  Commits commits(tables(), 1);
  EXPECT_FALSE(commits.restore(deltas(0, 3, {}, {})).ok());
  EXPECT_FALSE(commits.restore(deltas(0, 1, {}, {})).ok()) << "slices are not restored here";
  EXPECT_FALSE(commits.restore(deltas(0, 0, {1}, {1})).ok());
  EXPECT_FALSE(commits.restored());
}

}  // namespace
}  // namespace rota
