#include "core/rounds/commits.h"
#include "core/rounds/placement.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota::feedbacks {
namespace {

using tests::bytes_of;
using tests::rows_of;
using tests::text_of;

constexpr std::uint32_t kPartitions = 3;
constexpr TableId kApart = 0, kTogether = 1, kDense = 2;

std::vector<Table> tables() {
  return {{"apart", Table::Kind::shared, 100, 1, 1},
          {"together", Table::Kind::shared, 100, 1, 1, 0, true},
          {.name = "dense", .keys = 9, .row_width = 1, .part_width = 1, .dense = true}};
}

SharedRows of_table(SharedRows rows, TableId table) {
  rows.table = table;
  return rows;
}

TEST(Feedbacks, RoundsComeWholeAndInOrderAndTheirNormsAreSummed) {
  Feedbacks feedbacks(tables(), kPartitions, Feedback::norms);
  std::vector<Key> keys(50);
  for (Key key = 0; key < keys.size(); ++key) keys[key] = key;
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, keys), kApart)).ok());
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(2, {7}), kTogether)).ok());

  const auto early = feedbacks.add(0, {2, {}, bytes_of("yes")});
  ASSERT_TRUE(early.ok());
  EXPECT_TRUE(early->empty()) << "round 1 is not whole";
  ASSERT_TRUE(feedbacks.add(2, {1, {1, 2, 3}, {}}).ok());
  ASSERT_TRUE(feedbacks.add(0, {1, {10, 20, 1}, {}}).ok());
  const auto whole = feedbacks.add(1, {1, {100, 200, 2}, {}});
  ASSERT_TRUE(whole.ok());
  ASSERT_EQ(whole->size(), 2U);
  EXPECT_EQ((*whole)[0].rows.round, 1U);
  EXPECT_EQ((*whole)[0].norms, (ChangeNorms{111, 222, 3}));
  EXPECT_TRUE((*whole)[0].deltas().empty());
  EXPECT_EQ((*whole)[1].rows.round, 2U);
  EXPECT_EQ(text_of((*whole)[1].reply), "yes");
}

RoundFeedback changes_of(RoundId round, const std::vector<double>& values, const std::vector<double>& changes,
                         std::vector<KeyRun> runs = {}) {
  return {round, {}, {}, bytes_of(values), bytes_of(changes), std::move(runs)};
}

// Key, value and change of each row, one after the other.
std::vector<double> numbers_of(const RoundDeltas& round) {
  std::vector<double> numbers;
  for (const Delta& delta : round.deltas()) {
    numbers.push_back(static_cast<double>(delta.key));
    numbers.push_back(delta.value[0]);
    numbers.push_back(delta.change[0]);
  }
  return numbers;
}

TEST(Feedbacks, RowsComeInTheOrderInWhichTheyWereNamed) {
  Feedbacks feedbacks(tables(), kPartitions, Feedback::changes);
  const std::vector<Key> keys = {9, 3, 50, 4, 6, 1, 77};
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, keys), kApart)).ok());
  std::vector<double> expected;
  for (const Key key : keys)
    for (const double number : {1.0, 10.0, -1.0}) expected.push_back(number * static_cast<double>(key));
  for (const std::uint32_t partition : {2U, 0U, 1U}) {
    std::vector<double> values, changes;
    for (const Key key : keys) {
      if (partition_of_row(kApart, key, kPartitions) != partition) continue;
      values.push_back(10 * static_cast<double>(key));
      changes.push_back(-static_cast<double>(key));
    }
    ASSERT_FALSE(values.empty()) << "the keys are in all partitions";
    const auto whole = feedbacks.add(partition, changes_of(1, values, changes));
    ASSERT_TRUE(whole.ok());
    ASSERT_EQ(whole->size(), partition == 1 ? 1U : 0U);
    if (partition == 1) {
      EXPECT_EQ(numbers_of(whole->front()), expected);
    }
  }
}

TEST(Feedbacks, RowsOfAnOpenRoundAreThoseThatPartitionsNameByKey) {
  Feedbacks feedbacks(tables(), kPartitions, Feedback::changes);
  SharedRows open = of_table(rows_of(1, {}), kDense);
  open.open = true;
  ASSERT_TRUE(feedbacks.begin(open).ok());
  ASSERT_TRUE(feedbacks.add(2, changes_of(1, {60, 80}, {6, 8}, {{6, 1}, {8, 1}})).ok());
  ASSERT_TRUE(feedbacks.add(1, changes_of(1, {}, {})).ok());
  EXPECT_FALSE(feedbacks.add(0, changes_of(1, {60}, {6}, {{6, 1}})).ok()) << "a row of another partition";
  const auto whole = feedbacks.add(0, changes_of(1, {10, 20}, {1, 2}, {{1, 2}}));
  ASSERT_TRUE(whole.ok());
  ASSERT_EQ(whole->size(), 1U);
  EXPECT_EQ(numbers_of(whole->front()), (std::vector<double>{1, 10, 1, 2, 20, 2, 6, 60, 6, 8, 80, 8}));
}

TEST(Feedbacks, UnfittingFeedbackIsRefused) {
  const std::vector<RoundFeedback> wrong = {
      changes_of(1, {}, {}), changes_of(1, {1}, {}), changes_of(1, {1, 2}, {1, 2}),
      changes_of(1, {1}, {1}, {{7, 1}})};  // none, half, too many, those of an open round
  for (const RoundFeedback& feedback : wrong) {
    Feedbacks feedbacks(tables(), kPartitions, Feedback::changes);
    ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, {7}), kTogether)).ok());
    EXPECT_EQ(feedbacks.add(0, feedback).status().what(), "other feedback of round 1 was due from partition-0");
    EXPECT_TRUE(feedbacks.add(0, changes_of(1, {1}, {1})).ok());
  }
  Feedbacks feedbacks(tables(), kPartitions, Feedback::reply);
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, {7}), kTogether)).ok());
  EXPECT_FALSE(feedbacks.add(0, changes_of(1, {1}, {1})).ok()) << "more than requested";
}

TEST(Feedbacks, UnexpectedFeedbackIsRefused) {
  Feedbacks feedbacks(tables(), kPartitions, Feedback::norms);
  EXPECT_EQ(feedbacks.begin(of_table(rows_of(1, {200}), kApart)).code(), ExitCode::failed) << "no such row";
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, {7, 8, 9}), kTogether)).ok());
  EXPECT_EQ(feedbacks.begin(of_table(rows_of(1, {7}), kTogether)).code(), ExitCode::bug);
  EXPECT_EQ(feedbacks.add(1, {1, {}, {}}).status().what(), "no feedback of round 1 was due from partition-1");
  EXPECT_EQ(feedbacks.add(0, {2, {}, {}}).status().code(), ExitCode::bug);
  ASSERT_TRUE(feedbacks.add(0, {1, {}, {}}).ok());
  EXPECT_EQ(feedbacks.add(0, {1, {}, {}}).status().code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota::feedbacks
