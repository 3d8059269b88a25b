// tests/unit/kvstore/gather_test.cc
#include "kvstore/gather.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

Parts parts_of(RoundId round, TreeNode node, const std::vector<double>& sums) {
  Writer out;
  out.append(sums.data(), sums.size() * sizeof(double));
  return {round, node, Bytes::from(out.take())};
}

SharedRows rows_of(RoundId round, std::vector<Key> keys = {4}) {
  return {round, 0, std::move(keys)};
}

TEST(Gather, ARoundIsWholeWhenAllShardsAreCovered) {
  Gather gather(3);
  ASSERT_TRUE(gather.expect(rows_of(1), 2).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.add(parts_of(1, {0, 2}, {100, 200})).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.add(parts_of(1, {1, 0}, {1, 2})).ok());
  const auto whole = gather.take();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->rows.round, 1U);
  EXPECT_EQ(whole->rows.keys, (std::vector<Key>{4}));
  EXPECT_EQ(whole->sum, (std::vector<double>{101, 202}));
  EXPECT_FALSE(gather.take().has_value());
}

TEST(Gather, PartsMayComeBeforeWordOfTheirRound) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {5})).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.expect(rows_of(2), 1).ok());
  EXPECT_EQ(gather.take().value_or(Gather::Whole{}).sum, (std::vector<double>{5}));
}

TEST(Gather, RoundsAreGivenOutInTheirOrder) {
  Gather gather(1);
  for (RoundId round = 1; round <= 3; ++round) ASSERT_TRUE(gather.expect(rows_of(round), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(3, {0, 0}, {3})).ok());
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {2})).ok());
  EXPECT_FALSE(gather.take().has_value()) << "the first is not whole";
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {1})).ok());
  for (RoundId round = 1; round <= 3; ++round) EXPECT_EQ(gather.take().value_or(Gather::Whole{}).rows.round, round);
}

// A partition has rows of some rounds only, so numbers have gaps.
TEST(Gather, ARoundWithEarlyPartsOnlyHoldsNothingBack) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(5, {0, 0}, {5})).ok());
  ASSERT_TRUE(gather.expect(rows_of(7), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(7, {0, 0}, {7})).ok());
  EXPECT_EQ(gather.take().value_or(Gather::Whole{}).rows.round, 7U);
  EXPECT_FALSE(gather.expect(rows_of(5), 1).ok()) << "rounds are expected in ascending order";
}

TEST(Gather, PartsThatOverlapAreRefused) {
  Gather gather(4);
  ASSERT_TRUE(gather.expect(rows_of(1), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(1, {1, 0}, {1})).ok());
  for (const TreeNode node :
       {TreeNode{1, 0}, TreeNode{0, 0}, TreeNode{0, 1}, TreeNode{2, 0}, TreeNode{0, 4}, TreeNode{9, 9}}) {
    const Status status = gather.add(parts_of(1, node, {1}));
    EXPECT_EQ(status.code(), ExitCode::bug);
    EXPECT_EQ(status.what(), "round 1: parts that overlap");
  }
  ASSERT_TRUE(gather.add(parts_of(1, {1, 1}, {2})).ok());
  EXPECT_EQ(gather.take().value_or(Gather::Whole{}).sum, (std::vector<double>{3}));
}

TEST(Gather, PartsOfAnotherSizeAreRefused) {
  Gather gather(2);
  ASSERT_TRUE(gather.expect(rows_of(1, {4, 5}), 2).ok());
  EXPECT_FALSE(gather.add(parts_of(1, {0, 0}, {1, 2, 3})).ok());
  EXPECT_FALSE(gather.add(parts_of(1, {0, 0}, {})).ok());
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {1, 2, 3, 4})).ok());
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {1})).ok());
  EXPECT_FALSE(gather.add(parts_of(2, {0, 1}, {1, 2})).ok()) << "early ones are measured by each other";
  EXPECT_FALSE(gather.expect(rows_of(2), 2).ok());
  const Parts ragged{3, {0, 0}, Bytes::from(std::vector<std::byte>(7))};
  EXPECT_FALSE(gather.add(ragged).ok());
}

// A part without numbers that came early was taken for all that there is, and its sum read past the end.
TEST(Gather, AnEarlyPartWithoutNumbersIsNotASum) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {})).ok());
  const Status status = gather.expect(rows_of(1), 1);
  EXPECT_EQ(status.what(), "round 1: parts of another size");
  EXPECT_FALSE(gather.take().has_value());
}

TEST(Gather, WhatIsLongDoneIsRefused) {
  Gather gather(1);
  ASSERT_TRUE(gather.expect(rows_of(3), 1).ok());
  EXPECT_FALSE(gather.expect(rows_of(3), 1).ok()) << "expected twice";
  ASSERT_TRUE(gather.add(parts_of(3, {0, 0}, {1})).ok());
  ASSERT_TRUE(gather.take().has_value());
  EXPECT_EQ(gather.add(parts_of(3, {0, 0}, {1})).what(), "round 3: parts after it was done");
  EXPECT_EQ(gather.add(parts_of(2, {0, 0}, {1})).what(), "round 2: parts after it was done");
  EXPECT_EQ(gather.expect(rows_of(3), 1).what(), "round 3: expected after it was done");
}

TEST(Gather, EarlyRoundsAreLimited) {
  Gather gather(1);
  for (RoundId round = 1; round <= Gather::kEarlyRoundsMost; ++round)
    ASSERT_TRUE(gather.add(parts_of(round, {0, 0}, {1})).ok());
  EXPECT_EQ(gather.add(parts_of(Gather::kEarlyRoundsMost + 1, {0, 0}, {1})).what(), "round 4097: too far ahead");
}

}  // namespace
}  // namespace rota
