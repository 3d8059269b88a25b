#include "core/rounds/gather.h"

#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using tests::bytes_of;
using tests::parts_of;
using tests::text_of;

Expect expect_of(RoundId round) {
  return tests::expect_of(round, {4});
}

RoundId taken(Gather& gather) {
  const auto whole = gather.take();
  return whole ? whole->expect.rows.round : 0;
}

std::vector<double> sum_of(Gather& gather) {
  const auto whole = gather.take();
  return whole ? whole->sum : std::vector<double>();
}

TEST(Gather, ARoundIsWholeWhenAllShardsAreCovered) {
  Gather gather(3);
  Expect expect = expect_of(1);
  expect.awaited_by = AwaitedBy{2, 7};
  ASSERT_TRUE(gather.expect(expect, 2).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.add(parts_of(1, {0, 2}, {100, 200})).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.add(parts_of(1, {1, 0}, {1, 2})).ok());
  const auto whole = gather.take();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->expect.rows.round, 1U);
  EXPECT_EQ(whole->expect.rows.keys, (std::vector<Key>{4}));
  EXPECT_EQ(whole->expect.awaited_by->round, 7U);
  EXPECT_EQ(whole->sum, (std::vector<double>{101, 202}));
  EXPECT_EQ(whole->notes.size(), 3U);
  EXPECT_FALSE(gather.take().has_value());
}

TEST(Gather, PartsMayArriveBeforeTheirRound) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {5})).ok());
  EXPECT_FALSE(gather.take().has_value());
  ASSERT_TRUE(gather.expect(expect_of(2), 1).ok());
  EXPECT_EQ(sum_of(gather), (std::vector<double>{5}));
}

TEST(Gather, PartsAreCombinedAsTheTableSays) {
  const auto with = [](Parts parts, Combine how) {
    parts.combine = how;
    return parts;
  };
  for (const auto& [how, whole] :
       {std::pair(Combine::min, std::vector<double>{1, -7}), std::pair(Combine::max, std::vector<double>{5, -2})}) {
    Gather gather(2);
    ASSERT_TRUE(gather.add(with(parts_of(1, {0, 1}, {1, -2}), how)).ok());
    EXPECT_EQ(gather.add(parts_of(1, {0, 0}, {5, -7})).what(), "round 1: parts that are combined in another way");
    EXPECT_EQ(gather.expect(expect_of(1), 2).what(), "round 1: parts that are combined in another way");
    ASSERT_TRUE(gather.expect(expect_of(1), 2, {}, how).ok());
    ASSERT_TRUE(gather.add(with(parts_of(1, {0, 0}, {5, -7}), how)).ok());
    EXPECT_EQ(sum_of(gather), whole);
  }
}

TEST(Gather, RoundsAreGivenOutInTheirOrder) {
  Gather gather(1);
  for (RoundId round = 1; round <= 3; ++round) ASSERT_TRUE(gather.expect(expect_of(round), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(3, {0, 0}, {3})).ok());
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {2})).ok());
  EXPECT_FALSE(gather.take().has_value()) << "the first is not whole";
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {1})).ok());
  for (RoundId round = 1; round <= 3; ++round) EXPECT_EQ(taken(gather), round);
}

// A partition has rows of some rounds only, so numbers have gaps.
TEST(Gather, ARoundWithOnlyEarlyPartsBlocksNoOther) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(5, {0, 0}, {5})).ok());
  ASSERT_TRUE(gather.expect(expect_of(7), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(7, {0, 0}, {7})).ok());
  EXPECT_EQ(taken(gather), 7U);
  EXPECT_FALSE(gather.expect(expect_of(5), 1).ok()) << "rounds are expected in ascending order";
}

TEST(Gather, NotesAreByShardForAnySender) {
  for (const bool together : {false, true}) {
    Gather gather(5);
    ASSERT_TRUE(gather.expect(expect_of(1), 1).ok());
    ASSERT_TRUE(gather.add(parts_of(1, {0, 4}, {1}, {"four"})).ok());
    if (together) {
      ASSERT_TRUE(gather.add(parts_of(1, {2, 0}, {1}, {"zero", "", "two", "3"})).ok());
    } else {
      ASSERT_TRUE(gather.add(parts_of(1, {1, 1}, {1}, {"two", "3"})).ok());
      ASSERT_TRUE(gather.add(parts_of(1, {0, 1}, {1}, {""})).ok());
      ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {1}, {"zero"})).ok());
    }
    const auto whole = gather.take();
    ASSERT_TRUE(whole.has_value());
    std::vector<std::string> notes;
    for (const Bytes& note : whole->notes) notes.push_back(text_of(note));
    EXPECT_EQ(notes, (std::vector<std::string>{"zero", "", "two", "3", "four"}));
  }
}

// A node at the right edge of the tree covers fewer shards than its level implies.
TEST(Gather, TheLastSubtreeHasNotesOfItsShardsOnly) {
  Gather gather(3);
  ASSERT_TRUE(gather.expect(expect_of(1), 1).ok());
  EXPECT_EQ(gather.add(parts_of(1, {1, 1}, {1}, {"two", "three"})).what(), "round 1: notes of other shards");
  Gather again(3);
  ASSERT_TRUE(again.expect(expect_of(1), 1).ok());
  ASSERT_TRUE(again.add(parts_of(1, {2, 0}, {1}, {"zero", "one", "two"})).ok());
  const auto whole = again.take();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(text_of(whole->notes[2]), "two");
}

TEST(Gather, NotesOfAnotherLengthAreRefused) {
  const auto refusal = [](std::vector<std::uint64_t> sizes, std::string_view notes) {
    Gather gather(2);
    EXPECT_TRUE(gather.expect(expect_of(1), 1).ok());
    return gather.add({1, {1, 0}, bytes_of(std::vector<double>{1}), std::move(sizes), bytes_of(notes)}).what();
  };
  EXPECT_EQ(refusal({1, 2}, "abc"), "");
  EXPECT_EQ(refusal({1, 3}, "abc"), "round 1: notes that end early");
  EXPECT_EQ(refusal({~std::uint64_t{0}, 4}, "abc"), "round 1: notes that end early");
  EXPECT_EQ(refusal({1, 1}, "abc"), "round 1: notes beyond the last shard");
  EXPECT_EQ(refusal({3}, "abc"), "round 1: notes of other shards");
  EXPECT_EQ(refusal({}, ""), "round 1: notes of other shards");
}

TEST(Gather, PartsThatOverlapAreRefused) {
  Gather gather(4);
  ASSERT_TRUE(gather.expect(expect_of(1), 1).ok());
  ASSERT_TRUE(gather.add(parts_of(1, {1, 0}, {1})).ok());
  // Large levels would overflow the shifts that compute a node's range.
  for (const TreeNode node : {TreeNode{1, 0}, {0, 0}, {0, 1}, {2, 0}, {0, 4}, {9, 9}, {64, 0}, {32, 1}, {~0U, ~0U}}) {
    const Status status = gather.add(parts_of(1, node, {1}, {}));
    EXPECT_EQ(status.code(), ExitCode::bug);
    EXPECT_EQ(status.what(), "round 1: parts that overlap");
  }
  ASSERT_TRUE(gather.add(parts_of(1, {1, 1}, {2})).ok());
  EXPECT_EQ(sum_of(gather), (std::vector<double>{3}));
}

TEST(Gather, PartsOfAnotherSizeAreRefused) {
  Gather gather(2);
  ASSERT_TRUE(gather.expect(tests::expect_of(1, {4, 5}), 4).ok());
  EXPECT_FALSE(gather.add(parts_of(1, {0, 0}, {1, 2, 3})).ok());
  EXPECT_FALSE(gather.add(parts_of(1, {0, 0}, {})).ok());
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {1, 2, 3, 4})).ok());
  ASSERT_TRUE(gather.add(parts_of(2, {0, 0}, {1})).ok());
  EXPECT_FALSE(gather.add(parts_of(2, {0, 1}, {1, 2})).ok()) << "early ones are measured by each other";
  EXPECT_FALSE(gather.expect(expect_of(2), 2).ok());
  Parts ragged = parts_of(3, {0, 0}, {});
  ragged.sums = Bytes::from(std::vector<std::byte>(7));
  EXPECT_FALSE(gather.add(ragged).ok());
}

// An early part without numbers counted as complete, and its sum was read past the end.
TEST(Gather, AnEarlyPartWithoutNumbersIsNotASum) {
  Gather gather(1);
  ASSERT_TRUE(gather.add(parts_of(1, {0, 0}, {})).ok());
  const Status status = gather.expect(expect_of(1), 1);
  EXPECT_EQ(status.what(), "round 1: parts of another size");
  EXPECT_FALSE(gather.take().has_value());
}

TEST(Gather, PartsOfFinishedRoundsAreRefused) {
  Gather gather(1);
  ASSERT_TRUE(gather.expect(expect_of(3), 1).ok());
  EXPECT_FALSE(gather.expect(expect_of(3), 1).ok()) << "expected twice";
  ASSERT_TRUE(gather.add(parts_of(3, {0, 0}, {1})).ok());
  ASSERT_TRUE(gather.take().has_value());
  EXPECT_EQ(gather.add(parts_of(3, {0, 0}, {1})).what(), "round 3: parts after it was done");
  EXPECT_EQ(gather.add(parts_of(2, {0, 0}, {1})).what(), "round 2: parts after it was done");
  EXPECT_EQ(gather.expect(expect_of(3), 1).what(), "round 3: expected after it was done");
}

TEST(Gather, EarlyRoundsAreLimited) {
  Gather gather(1);
  for (RoundId round = 1; round <= Gather::kEarlyRoundsMost; ++round)
    ASSERT_TRUE(gather.add(parts_of(round, {0, 0}, {1})).ok());
  EXPECT_EQ(gather.add(parts_of(Gather::kEarlyRoundsMost + 1, {0, 0}, {1})).what(), "round 4097: too far ahead");
}

Expect open_of(RoundId round) {
  Expect expect = tests::expect_of(round, {});
  expect.rows.open = true;
  return expect;
}

Parts open_parts(RoundId round, TreeNode node, std::vector<KeyRun> runs, const std::vector<double>& sums) {
  Parts parts = parts_of(round, node, sums);
  parts.open = true;
  parts.runs = std::move(runs);
  return parts;
}

TEST(Gather, AnOpenRoundHasTheRowsOfAllItsParts) {
  for (const bool early : {false, true}) {
    Gather gather(3);
    if (!early) {
      ASSERT_TRUE(gather.expect(open_of(1), 2, {10, 20}).ok());
    }
    ASSERT_TRUE(gather.add(open_parts(1, {0, 1}, {}, {})).ok()) << "a shard that touched nothing";
    ASSERT_TRUE(gather.add(open_parts(1, {0, 2}, {{11, 2}}, {1, 2, 3, 4})).ok());
    EXPECT_FALSE(gather.take().has_value());
    ASSERT_TRUE(gather.add(open_parts(1, {0, 0}, {{12, 1}, {19, 1}}, {10, 20, 30, 40})).ok());
    if (early) {
      ASSERT_TRUE(gather.expect(open_of(1), 2, {10, 20}).ok());
    }
    const auto whole = gather.take();
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->open.runs(), (std::vector<KeyRun>{{11, 2}, {19, 1}}));
    EXPECT_EQ(whole->open.joined(), (std::vector<double>{1, 2, 13, 24, 30, 40}));
    EXPECT_EQ(whole->notes.size(), 3U);
  }
}

TEST(Gather, PartsOfAnOpenRoundThatDoNotFitAreRefused) {
  const auto refusal = [](const Parts& parts) {
    Gather gather(2);
    EXPECT_TRUE(gather.expect(open_of(1), 2, {10, 20}).ok());
    const Status now = gather.add(parts);
    Gather later(2);
    const Status early = later.add(parts);
    EXPECT_EQ(early.ok() ? later.expect(open_of(1), 2, {10, 20}).what() : early.what(), now.what());
    return now.what();
  };
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{9, 1}}, {1, 2})), "round 1: parts of other rows");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{19, 2}}, {1, 2, 3, 4})), "round 1: parts of other rows");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{12, 1}, {11, 1}}, {1, 2, 3, 4})), "round 1: parts of other rows");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{12, 0}}, {})), "round 1: parts of other rows");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{12, 1}}, {1})), "round 1: parts of another size");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {{12, 2}}, {1, 2, 3})), "round 1: parts of another size");
  EXPECT_EQ(refusal(open_parts(1, {0, 0}, {}, {1, 2})), "round 1: parts of another size");
  EXPECT_EQ(refusal(parts_of(1, {0, 0}, {1, 2})), "round 1: parts of another kind of round");
  Gather gather(2);
  ASSERT_TRUE(gather.expect(expect_of(1), 1).ok());
  EXPECT_EQ(gather.add(open_parts(1, {0, 0}, {{4, 1}}, {1})).what(), "round 1: parts of another kind of round");
  Parts rows = parts_of(1, {0, 0}, {1});
  rows.runs = {{4, 1}};
  EXPECT_EQ(gather.add(rows).what(), "round 1: parts of other rows");
}

TEST(Gather, PartsOfAnOpenRoundThatOverlapAreRefused) {
  Gather gather(2);
  ASSERT_TRUE(gather.expect(open_of(1), 1, {0, 9}).ok());
  ASSERT_TRUE(gather.add(open_parts(1, {0, 0}, {{4, 1}}, {1})).ok());
  EXPECT_EQ(gather.add(open_parts(1, {0, 0}, {{5, 1}}, {1})).what(), "round 1: parts that overlap");
}

}  // namespace
}  // namespace rota
