#include "core/rounds/commits.h"

#include "core/rounds/placement.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using tests::bytes_of;
using tests::deltas_of;
using tests::rows_of;
using tests::text_of;

constexpr std::uint32_t kPartitions = 3;
constexpr TableId kApart = 0, kSliced = 1, kMore = 2, kTogether = 3;

std::vector<Table> tables() {
  return {{"rows", Table::Kind::shared, 100, 2, 1},
          {"slices", Table::Kind::sliced, 10, 0, 0},
          {"more", Table::Kind::shared, 5, 1, 1},
          {"together", Table::Kind::shared, 100, 1, 3, 2, true}};
}

// A partition's commit of a round: its rows, each with the values key + offset and key - offset.
Deltas commit_of(const SharedRows& rows, std::uint32_t partition, double offset) {
  std::vector<Key> mine;
  std::vector<double> values;
  for (const Key key : rows.keys) {
    if (partition_of_row(rows.table, key, kPartitions) != partition) continue;
    mine.push_back(key);
    values.push_back(static_cast<double>(key) + offset);
    values.push_back(static_cast<double>(key) - offset);
  }
  return deltas_of(rows.round, mine, values, rows.table);
}

std::vector<RoundDeltas> given(Result<std::vector<RoundDeltas>> whole) {
  EXPECT_TRUE(whole.ok()) << whole.status().what();
  return whole.ok() ? *std::move(whole) : std::vector<RoundDeltas>();
}

TEST(Commits, RoundsComeWholeInOrderAndWithTheirRowsInOrder) {
  const std::vector<SharedRows> rounds = {rows_of(1, {9, 3, 50}), rows_of(2, {3, 7, 8, 9}), rows_of(3, {1})};
  for (unsigned seed = 0; seed < 50; ++seed) {
    Commits commits(tables(), kPartitions);
    std::vector<std::pair<std::size_t, std::uint32_t>> arrivals;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      ASSERT_TRUE(commits.begin(rounds[i]).ok());
      for (const std::uint32_t partition : commits.homes(rounds[i].round)) arrivals.emplace_back(i, partition);
    }
    std::shuffle(arrivals.begin(), arrivals.end(), std::mt19937(seed));
    std::vector<RoundDeltas> all;
    for (const auto& [i, partition] : arrivals)
      for (RoundDeltas& one :
           given(commits.commit(partition, commit_of(rounds[i], partition, static_cast<double>(i + 1)))))
        all.push_back(std::move(one));
    ASSERT_EQ(all.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(all[i].rows.round, i + 1);
      EXPECT_EQ(all[i].rows.keys, rounds[i].keys);
      EXPECT_EQ(all[i].width, 2U);
    }
    EXPECT_EQ(all[0].values, (std::vector<double>{10, 8, 4, 2, 51, 49}));
    EXPECT_EQ(all[0].before, (std::vector<double>(6)));
    EXPECT_EQ(all[0].changes, all[0].values) << "they were zeros before";
    EXPECT_EQ(all[1].values, (std::vector<double>{5, 1, 9, 5, 10, 6, 11, 7}));
    EXPECT_EQ(all[1].before, (std::vector<double>{4, 2, 0, 0, 0, 0, 10, 8}));
    EXPECT_EQ(all[1].changes, (std::vector<double>{1, -1, 9, 5, 10, 6, 1, -1}));
  }
}

// A stale push reads the rows as they were before the unseen rounds.
TEST(Commits, RowsMayStartWithOtherValuesThanZeros) {
  Commits commits(tables(), 1);
  const double start[] = {5, 6};
  commits.set(kApart, 9, start);
  const SharedRows rows = rows_of(1, {9});
  ASSERT_TRUE(commits.begin(rows).ok());
  EXPECT_EQ(commits.values(1), (std::vector<double>{5, 6}));
  const auto whole = given(commits.commit(0, deltas_of(1, {9}, {7, 7})));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].changes, (std::vector<double>{2, 1}));
}

TEST(Commits, ValuesCanExcludeUnseenRounds) {
  Commits commits(tables(), kPartitions);
  std::vector<std::shared_ptr<const RoundDeltas>> rounds;
  const auto commit = [&](TableId table, RoundId round, std::vector<Key> keys, const std::vector<double>& values) {
    ASSERT_TRUE(commits.begin(rows_of(round, keys, table)).ok());
    for (RoundDeltas& one : given(commits.commit(0, deltas_of(round, keys, values, table))))
      rounds.push_back(std::make_shared<const RoundDeltas>(std::move(one)));
  };
  commit(kTogether, 1, {1, 2}, {10, 20});
  commit(kTogether, 2, {2, 3}, {21, 30});
  commit(kTogether, 3, {3, 1, 4}, {31, 11, 40});
  ASSERT_EQ(rounds.size(), 3U);
  ASSERT_TRUE(commits.begin(rows_of(9, {4, 3, 2, 1, 7}, kTogether)).ok());
  const auto without_last = [&](std::size_t unseen) { return commits.values(9, std::span(rounds).last(unseen)); };
  EXPECT_EQ(without_last(0), (std::vector<double>{40, 31, 21, 11, 0}));
  EXPECT_EQ(without_last(1), (std::vector<double>{0, 30, 21, 10, 0}));
  EXPECT_EQ(without_last(2), (std::vector<double>{0, 0, 20, 10, 0}));
  EXPECT_EQ(without_last(3), (std::vector<double>{0, 0, 0, 0, 0}));
  // A round of another table with the same keys.
  ASSERT_TRUE(commits.begin(rows_of(10, {1, 2, 3}, kMore)).ok());
  EXPECT_EQ(commits.values(10, rounds), (std::vector<double>{0, 0, 0}));
}

TEST(Commits, RowsThatAreTogetherLiveInPartitionZero) {
  Commits commits(tables(), kPartitions);
  SharedRows rows = rows_of(1, {5, 6, 7}, kTogether);
  rows.blocks = {2, 1};
  rows.argument = Argument(3.0);
  ASSERT_TRUE(commits.begin(rows).ok());
  EXPECT_EQ(commits.homes(1), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(commits.partitions_of(1), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_FALSE(commits.commit(1, deltas_of(1, {}, {}, kTogether)).ok());
  const auto whole = given(commits.commit(0, deltas_of(1, {5, 6, 7}, {1, 2, 3}, kTogether, "reply")));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].rows.blocks, rows.blocks) << "as the schedule gave them: DELTAS do not repeat them";
  EXPECT_EQ(whole[0].rows.argument, rows.argument);
  EXPECT_EQ(text_of(whole[0].reply), "reply");
}

TEST(Commits, ARoundWithoutRowsIsCommittedIfItsTableIsTogether) {
  Commits commits(tables(), kPartitions);
  ASSERT_TRUE(commits.begin(rows_of(1, {}, kTogether)).ok());
  EXPECT_EQ(commits.homes(1), (std::set<std::uint32_t>{0}));
  EXPECT_TRUE(commits.values(1).empty());
  const auto whole = given(commits.commit(0, deltas_of(1, {}, {}, kTogether, "only this")));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_TRUE(whole[0].deltas().empty());
  EXPECT_EQ(text_of(whole[0].reply), "only this");
  EXPECT_EQ(commits.begin(rows_of(2, {})).what(),
            "schedule, round 2: no row is named, and table rows spans partitions");
}

TEST(Commits, ARoundThatBreaksTheRulesIsTheSchedulesFault) {
  Commits commits(tables(), kPartitions);
  EXPECT_EQ(commits.begin(rows_of(4, {99, 100})).what(), "schedule, round 4: table rows has no row 100");
  EXPECT_FALSE(commits.is_open(4)) << "nothing of it is kept";
  ASSERT_TRUE(commits.begin(rows_of(5, {1})).ok());
  EXPECT_EQ(commits.begin(rows_of(5, {1})).code(), ExitCode::bug);
}

TEST(Commits, ACommitThatIsNotDueIsRefused) {
  const SharedRows rows = rows_of(1, {4});
  const std::uint32_t home = partition_of_row(kApart, 4, kPartitions);
  Commits commits(tables(), kPartitions);
  ASSERT_TRUE(commits.begin(rows).ok());
  EXPECT_FALSE(commits.commit((home + 1) % kPartitions, commit_of(rows, home, 1)).ok()) << "another partition";
  EXPECT_FALSE(commits.commit(home, commit_of(rows_of(2, {4}), home, 1)).ok()) << "another round";
  ASSERT_TRUE(commits.commit(home, commit_of(rows, home, 1)).ok());
  EXPECT_FALSE(commits.commit(home, commit_of(rows, home, 1)).ok()) << "twice";
}

// Rows in excess of those expected were ignored.
TEST(Commits, ACommitOfOtherRowsIsRefused) {
  const std::uint32_t home = partition_of_row(kApart, 4, kPartitions);
  std::vector<Deltas> wrong;
  wrong.push_back(deltas_of(1, {5}, {1, 2}));                   // another row
  wrong.push_back(deltas_of(1, {}, {}));                        // none
  wrong.push_back(deltas_of(1, {4, 5}, {1, 2, 3, 4}));          // one more
  wrong.push_back(deltas_of(1, {4}, {1, 2, 3}));                // another width
  wrong.push_back(deltas_of(1, {4}, {1, 2}, kMore));            // another table
  wrong.push_back(deltas_of(1, {4}, {1, 2}, kApart, "reply"));  // it spans partitions
  for (const Deltas& one : wrong) {
    Commits commits(tables(), kPartitions);
    ASSERT_TRUE(commits.begin(rows_of(1, {4})).ok());
    const auto whole = commits.commit(home, one);
    ASSERT_FALSE(whole.ok());
    EXPECT_EQ(whole.status().code(), ExitCode::bug);
    EXPECT_NE(whole.status().what().find("round 1"), std::string::npos) << whole.status().what();
  }
}

TEST(Commits, ChangesAreRelativeToRestoredRows) {
  Commits commits(tables(), 1);
  EXPECT_FALSE(commits.restored());
  ASSERT_TRUE(commits.restore(deltas_of(0, {4}, {10, 20})).ok());
  ASSERT_TRUE(commits.restore(deltas_of(0, {}, {}, kMore)).ok());
  EXPECT_FALSE(commits.restored()) << "there are three shared tables";
  ASSERT_TRUE(commits.restore(deltas_of(0, {2}, {5}, kTogether)).ok());
  EXPECT_TRUE(commits.restored());
  ASSERT_TRUE(commits.begin(rows_of(7, {4})).ok());
  EXPECT_EQ(commits.values(7), (std::vector<double>{10, 20}));
  const auto whole = given(commits.commit(0, deltas_of(7, {4}, {11, 18})));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].changes, (std::vector<double>{1, -2}));
}

TEST(Commits, RowsAreRestoredWhenTheLastOfTheirChunksIsIn) {
  Commits commits({{"rows", Table::Kind::shared, 100, 1, 1}}, 2);
  Deltas first = deltas_of(0, {4}, {10});
  first.last = false;
  for (int partition = 0; partition < 2; ++partition) ASSERT_TRUE(commits.restore(first).ok());
  EXPECT_FALSE(commits.restored());
  for (const Key key : {5U, 6U}) {
    EXPECT_FALSE(commits.restored());
    ASSERT_TRUE(commits.restore(deltas_of(0, {key}, {20})).ok());
  }
  EXPECT_TRUE(commits.restored());
  ASSERT_TRUE(commits.begin(rows_of(7, {4, 6})).ok());
  EXPECT_EQ(commits.values(7), (std::vector<double>{10, 20}));
}

TEST(Commits, RestoredRowsThatDoNotFitAreRefused) {
  Commits commits(tables(), 1);
  EXPECT_FALSE(commits.restore(deltas_of(0, {}, {}, 4)).ok());
  EXPECT_FALSE(commits.restore(deltas_of(0, {}, {}, kSliced)).ok()) << "slices are not restored here";
  EXPECT_FALSE(commits.restore(deltas_of(0, {1}, {1})).ok());
  EXPECT_FALSE(commits.restored());
}

constexpr TableId kDense = 0, kDenseTogether = 1;

std::vector<Table> dense_tables() {
  std::vector<Table> all{{"all", Table::Kind::shared, 9, 1, 1},
                         {"all_together", Table::Kind::shared, 9, 1, 1, 0, true}};
  all[kDense].dense = all[kDenseTogether].dense = true;
  return all;
}

SharedRows open_rows(RoundId round, TableId table = kDense) {
  SharedRows rows = rows_of(round, {}, table);
  rows.open = true;
  return rows;
}

Deltas open_deltas(RoundId round, std::vector<KeyRun> runs, const std::vector<double>& values, TableId table = kDense) {
  Deltas deltas = deltas_of(round, {}, values, table);
  deltas.rows.open = true;
  deltas.runs = std::move(runs);
  return deltas;
}

TEST(Commits, DenseRowsAreInViewsAndHaveNoChanges) {
  Commits commits(dense_tables(), kPartitions);
  ASSERT_TRUE(commits.restore(deltas_of(0, {8}, {1})).ok());
  ASSERT_TRUE(commits.begin(open_rows(1)).ok());
  EXPECT_EQ(commits.homes(1), (std::set<std::uint32_t>{0, 1, 2}));
  for (const std::uint32_t p : {2U, 1U})
    EXPECT_TRUE(given(commits.commit(p, open_deltas(1, {{3 * p, 2}}, {1, 2}))).empty());
  Deltas first = open_deltas(1, {{2, 1}}, {20});
  first.reply = bytes_of("reply");
  auto whole = given(commits.commit(0, first));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(text_of(whole[0].reply), "reply");
  EXPECT_TRUE(whole[0].in_view);
  EXPECT_TRUE(whole[0].deltas().empty());
  ASSERT_EQ(whole[0].open.size(), 3U);
  for (std::uint32_t p = 0; p < 3; ++p) EXPECT_EQ(whole[0].open[p].runs[0].first, p == 0 ? 2 : 3 * p);
  ASSERT_TRUE(commits.begin(rows_of(2, {4, 5})).ok());
  whole = given(commits.commit(1, deltas_of(2, {4, 5}, {40, 50})));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].values, (std::vector<double>{40, 50}));
  EXPECT_TRUE(whole[0].deltas().empty());
}

TEST(Commits, ACommitOfAnOpenRoundThatDoesNotFitIsRefused) {
  std::vector<Deltas> wrong;
  wrong.push_back(open_deltas(1, {{2, 2}}, {1, 2}));               // a row of another partition
  wrong.push_back(open_deltas(1, {{2, 1}, {1, 1}}, {1, 2}));       // in another order
  wrong.push_back(open_deltas(1, {{1, 1}}, {1, 2}));               // another width
  wrong.push_back(open_deltas(1, {{1, 1}}, {1}, kDenseTogether));  // another table
  wrong.push_back(deltas_of(1, {1}, {1}));                         // of a round that names its rows
  for (const Deltas& deltas : wrong) {
    Commits commits(dense_tables(), kPartitions);
    ASSERT_TRUE(commits.begin(open_rows(1)).ok());
    EXPECT_EQ(commits.commit(0, deltas).status().code(), ExitCode::bug);
  }
  Commits commits(dense_tables(), kPartitions);
  ASSERT_TRUE(commits.begin(open_rows(1)).ok());
  Deltas replies = open_deltas(1, {{4, 1}}, {1});
  replies.reply = bytes_of("reply");
  EXPECT_EQ(commits.commit(1, replies).status().code(), ExitCode::bug) << "only the first partition replies";
  EXPECT_FALSE(commits.restore(deltas_of(0, {9}, {1})).ok()) << "there is no such row";
}

}  // namespace
}  // namespace rota
