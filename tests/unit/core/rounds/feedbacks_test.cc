#include "core/rounds/feedbacks.h"

#include <gtest/gtest.h>

#include "core/rounds/placement.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using tests::bytes_of;
using tests::rows_of;
using tests::text_of;

constexpr std::uint32_t kPartitions = 3;
constexpr TableId kApart = 0, kTogether = 1;

std::vector<Table> tables() {
  return {{"apart", Table::Kind::shared, 100, 1, 1}, {"together", Table::Kind::shared, 100, 1, 1, 0, true}};
}

SharedRows of_table(SharedRows rows, TableId table) {
  rows.table = table;
  return rows;
}

TEST(Feedbacks, RoundsComeWholeAndInOrderAndTheirNormsAreSummed) {
  Feedbacks feedbacks(tables(), kPartitions);
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

TEST(Feedbacks, WhatIsNotDueIsRefused) {
  Feedbacks feedbacks(tables(), kPartitions);
  EXPECT_EQ(feedbacks.begin(of_table(rows_of(1, {200}), kApart)).code(), ExitCode::failed) << "no such row";
  ASSERT_TRUE(feedbacks.begin(of_table(rows_of(1, {7, 8, 9}), kTogether)).ok());
  EXPECT_EQ(feedbacks.begin(of_table(rows_of(1, {7}), kTogether)).code(), ExitCode::bug);
  EXPECT_EQ(feedbacks.add(1, {1, {}, {}}).status().what(), "no feedback of round 1 was due from partition-1");
  EXPECT_EQ(feedbacks.add(0, {2, {}, {}}).status().code(), ExitCode::bug);
  ASSERT_TRUE(feedbacks.add(0, {1, {}, {}}).ok());
  EXPECT_EQ(feedbacks.add(0, {1, {}, {}}).status().code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota
