#include "rota/schedules/block_builder.h"

namespace rota {
namespace {

using Blocks = std::vector<std::uint32_t>;
using Keys = std::vector<Key>;

// Keys interfere with those next to them: 10 with 9 and 11.
std::unique_ptr<Interference> neighbours() {
  return std::make_unique<PairInterference>([](Key a, Key b) { return a + 1 == b || b + 1 == a; });
}

Round round_of(BlockBuilder& builder) {
  Round round;
  builder.finish(round);
  return round;
}

TEST(BlockBuilder, RowsThatInterfereAreOneBlockInTheOrderAdded) {
  BlockBuilder builder(OnConflict::group, 8, 0, neighbours());
  for (const Key key : {20, 10, 30, 12, 11, 31}) EXPECT_TRUE(builder.add(key));
  EXPECT_EQ(builder.size(), 6U);
  Round round;
  const BlockBuilder::Shape shape = builder.finish(round);
  EXPECT_EQ(round.shared, (Keys{20, 10, 12, 11, 30, 31})) << "11 joined the blocks of 10 and of 12";
  EXPECT_EQ(round.blocks, (Blocks{1, 3, 2}));
  EXPECT_EQ(shape.blocks, 3U);
  EXPECT_EQ(shape.grouped, 5U);
  EXPECT_EQ(shape.largest, 3U);
}

TEST(BlockBuilder, RowsThatDoNotInterfereNeedNoBlocks) {
  BlockBuilder builder(OnConflict::group, 8, 0, neighbours());
  for (const Key key : {5, 1, 3}) EXPECT_TRUE(builder.add(key));
  Round round;
  EXPECT_EQ(builder.finish(round).blocks, 3U);
  EXPECT_EQ(round.shared, (Keys{5, 1, 3}));
  EXPECT_TRUE(round.blocks.empty());
}

TEST(BlockBuilder, ABlockDoesNotGrowBeyondItsBound) {
  BlockBuilder builder(OnConflict::group, 3, 0, neighbours());
  EXPECT_TRUE(builder.add(1));
  EXPECT_TRUE(builder.add(2));
  EXPECT_TRUE(builder.add(4));
  EXPECT_FALSE(builder.add(3)) << "it would join 1, 2 and 4 to a block of 4";
  EXPECT_TRUE(builder.add(5));
  const Round round = round_of(builder);
  EXPECT_EQ(round.shared, (Keys{1, 2, 4, 5}));
  EXPECT_EQ(round.blocks, (Blocks{2, 2}));
}

TEST(BlockBuilder, DropRefusesTheLaterOne) {
  BlockBuilder builder(OnConflict::drop, 8, 0, neighbours());
  EXPECT_TRUE(builder.add(1));
  EXPECT_FALSE(builder.add(2));
  EXPECT_TRUE(builder.add(3)) << "2 is not in the round";
  const Round round = round_of(builder);
  EXPECT_EQ(round.shared, (Keys{1, 3}));
  EXPECT_TRUE(round.blocks.empty());
}

TEST(BlockBuilder, IgnoreTestsNothing) {
  BlockBuilder builder(OnConflict::ignore, 1, 3, neighbours());
  for (int i = 0; i < 3; ++i) {
    for (const Key key : {1, 2, 3}) EXPECT_TRUE(builder.add(key));
    const Round round = round_of(builder);
    EXPECT_EQ(round.shared, (Keys{1, 2, 3}));
    EXPECT_TRUE(round.blocks.empty());
  }
}

TEST(BlockBuilder, TogetherIsOneBlock) {
  BlockBuilder builder(OnConflict::together, 3, 0, neighbours());
  for (int i = 0; i < 2; ++i) {
    for (const Key key : {5, 2, 3}) EXPECT_TRUE(builder.add(key));
    EXPECT_FALSE(builder.add(9));
    const Round round = round_of(builder);
    EXPECT_EQ(round.shared, (Keys{5, 2, 3}));
    EXPECT_EQ(round.blocks, (Blocks{3}));
  }
  EXPECT_TRUE(builder.add(1));
  EXPECT_TRUE(round_of(builder).blocks.empty());
}

TEST(BlockBuilder, UnseenRoundsCannotBeGroupedWith) {
  BlockBuilder builder(OnConflict::group, 8, 2, neighbours());
  EXPECT_TRUE(builder.add(10));
  EXPECT_EQ(round_of(builder).shared, (Keys{10}));
  for (int unseen = 0; unseen < 2; ++unseen) {
    EXPECT_FALSE(builder.add(11));
    EXPECT_TRUE(builder.add(20 + 2 * static_cast<Key>(unseen)));
    EXPECT_EQ(round_of(builder).shared.size(), 1U);
  }
  EXPECT_TRUE(builder.add(11)) << "the round of 10 is seen now";
  round_of(builder);
  EXPECT_FALSE(builder.add(12));
  builder.keep_unseen(1);
  EXPECT_FALSE(builder.add(12));
  builder.keep_unseen(0);
  EXPECT_TRUE(builder.add(12)) << "all is seen";
}

// Random graphs, against the specification of blocks.
TEST(BlockBuilder, DifferentBlocksNeverInterfere) {
  Random random({3, 1, 4, 1});
  for (int run = 0; run < 200; ++run) {
    const std::uint64_t keys = 2 + random.below(60), share = random.below(30);
    std::set<std::pair<Key, Key>> edges;
    for (Key a = 0; a < keys; ++a)
      for (Key b = 0; b < a; ++b)
        if (random.below(100) < share) edges.insert({b, a});
    const auto test = [&](Key a, Key b) { return edges.contains(std::minmax(a, b)); };
    const auto largest = static_cast<std::uint32_t>(1 + random.below(10));
    const auto unseen = static_cast<std::uint32_t>(random.below(3));
    BlockBuilder builder(OnConflict::group, largest, unseen, std::make_unique<PairInterference>(test));
    std::vector<Round> rounds;
    for (Key next = 0; next < keys;) {
      for (std::uint64_t i = 1 + random.below(20); i > 0 && next < keys; --i) builder.add(next++);
      rounds.push_back(round_of(builder));
      Round& round = rounds.back();
      if (round.blocks.empty()) round.blocks.assign(round.shared.size(), 1);
      std::vector<std::size_t> block_of;
      for (std::size_t b = 0; b < round.blocks.size(); ++b) {
        EXPECT_LE(round.blocks[b], largest);
        block_of.insert(block_of.end(), round.blocks[b], b);
      }
      ASSERT_EQ(block_of.size(), round.shared.size());
      for (std::size_t i = 0; i < block_of.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_FALSE(block_of[i] != block_of[j] && test(round.shared[i], round.shared[j]));
        for (std::size_t back = 1; back <= unseen && back < rounds.size(); ++back)
          for (const Key other : rounds[rounds.size() - 1 - back].shared) EXPECT_FALSE(test(round.shared[i], other));
      }
    }
  }
}

}  // namespace
}  // namespace rota
