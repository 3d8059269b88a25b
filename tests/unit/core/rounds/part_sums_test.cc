#include "core/rounds/gather.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using tests::bytes_of;
using tests::numbers_of;
using tests::text_of;

// Rows of equal width, by partition, and no message to partitions without rows.
std::vector<std::pair<std::uint32_t, Parts>> add(PartSums& sums, RoundId round, ShardId shard,
                                                 std::vector<double> parts,
                                                 const std::vector<std::uint32_t>& partitions) {
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i <= partitions.size(); ++i) offsets.push_back(i * parts.size() / partitions.size());
  const std::set<std::uint32_t> homes(partitions.begin(), partitions.end());
  return sums.add(round, shard, std::move(parts), {}, {partitions, offsets, homes});
}

TEST(PartSums, AreSentWhenASubtreeIsWhole) {
  PartSums sums(0, 3, 8);  // shards 0 and 1 are one subtree, 2 is another
  const std::vector<std::uint32_t> partitions = {0, 0};
  EXPECT_TRUE(add(sums, 1, 1, {1, 2}, partitions).empty());
  const auto alone = add(sums, 1, 2, {5, 6}, partitions);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].second.node, (TreeNode{0, 2}));
  const auto both = add(sums, 1, 0, {10, 20}, partitions);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].first, 0U);
  EXPECT_EQ(both[0].second.round, 1U);
  EXPECT_EQ(both[0].second.node, (TreeNode{1, 0}));
  EXPECT_EQ(numbers_of(both[0].second.sums), (std::vector<double>{11, 22}));
}

TEST(PartSums, PartsNeedNotBeOfEqualWidth) {
  PartSums sums(0, 1, 1);
  const std::vector<std::uint32_t> partitions = {1, 0, 1};
  const std::vector<std::size_t> offsets = {0, 1, 3, 6};
  const auto out = sums.add(1, 0, {1, 2, 2, 3, 3, 3}, {}, {partitions, offsets, {0, 1}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(numbers_of(out[0].second.sums), (std::vector<double>{2, 2}));
  EXPECT_EQ(numbers_of(out[1].second.sums), (std::vector<double>{1, 3, 3, 3}));
}

TEST(PartSums, NotesTravelTogetherInTheOrderOfTheirShards) {
  PartSums sums(0, 4, 6);
  const std::vector<std::uint32_t> none;
  const std::vector<std::size_t> offsets = {0};
  const auto note = [&](ShardId shard, std::string_view text) {
    return sums.add(3, shard, {}, bytes_of(text), {none, offsets, {0}});
  };
  EXPECT_TRUE(note(2, "two").empty());
  EXPECT_TRUE(note(0, "zero").empty());
  EXPECT_TRUE(note(3, "").empty());
  const auto out = note(1, "one");
  ASSERT_EQ(out.size(), 1U) << "a partition without rows gets a message, too";
  EXPECT_EQ(out[0].first, 0U);
  EXPECT_EQ(out[0].second.node, (TreeNode{2, 0}));
  EXPECT_TRUE(out[0].second.sums.empty());
  EXPECT_EQ(out[0].second.note_sizes, (std::vector<std::uint64_t>{4, 3, 3, 0}));
  EXPECT_EQ(text_of(out[0].second.notes), "zeroonetwo");
}

TEST(PartSums, NotesOfAnOpenRoundGoToTheFirstPartition) {
  PartSums sums(0, 1, 1);
  const auto out = sums.add_open(1, 0, SparseRows({{7, 2}}, {1, 2}, 1), bytes_of("note"), {{0, {0, 8}}, {1, {8, 16}}});
  ASSERT_EQ(out.size(), 2U);
  for (std::uint32_t p = 0; p < 2; ++p) {
    EXPECT_EQ(numbers_of(out[p].second.sums), std::vector<double>{p + 1.0});
    EXPECT_EQ(out[p].second.note_sizes, std::vector<std::uint64_t>{p == 0 ? 4U : 0U});
    EXPECT_EQ(text_of(out[p].second.notes), p == 0 ? "note" : "");
  }
}

TEST(PartSums, RoundsDoNotMix) {
  PartSums sums(0, 2, 2);
  EXPECT_TRUE(add(sums, 1, 0, {1}, {0}).empty());
  EXPECT_TRUE(add(sums, 2, 1, {20}, {0}).empty());
  EXPECT_EQ(numbers_of(add(sums, 2, 0, {10}, {0}).at(0).second.sums), (std::vector<double>{30}));
  EXPECT_EQ(numbers_of(add(sums, 1, 1, {2}, {0}).at(0).second.sums), (std::vector<double>{3}));
}

TEST(PartSums, OfAnOpenRoundEachPartitionGetsTheRowsOfItsRange) {
  PartSums sums(0, 2, 2);
  const std::map<std::uint32_t, KeyRange> ranges = {{0, {0, 5}}, {1, {5, 10}}, {2, {10, 15}}};
  EXPECT_TRUE(sums.add_open(4, 1, SparseRows({{3, 4}}, std::vector<double>{1, 2, 3, 4}, 1), {}, ranges).empty());
  const auto out = sums.add_open(4, 0, SparseRows({{4, 1}, {9, 1}}, std::vector<double>{10, 20}, 1), {}, ranges);
  ASSERT_EQ(out.size(), 3U) << "a partition without rows gets a message, too";
  const auto expect = [&](std::uint32_t p, std::vector<KeyRun> runs, std::vector<double> numbers) {
    EXPECT_EQ(out[p].first, p);
    EXPECT_TRUE(out[p].second.open);
    EXPECT_EQ(out[p].second.round, 4U);
    EXPECT_EQ(out[p].second.node, (TreeNode{1, 0}));
    EXPECT_EQ(out[p].second.note_sizes, (std::vector<std::uint64_t>{0, 0}));
    EXPECT_EQ(out[p].second.runs, runs);
    EXPECT_EQ(numbers_of(out[p].second.sums), numbers);
  };
  expect(0, {{3, 2}}, {1, 12});
  expect(1, {{5, 2}, {9, 1}}, {3, 4, 20});
  expect(2, {}, {});
}

// The messages of large open rounds, and what a partition sums up of them.
struct Summed {
  std::size_t messages = 0;
  Gather::Whole whole;
};
Summed sum_of_shards(const std::vector<std::pair<KeyRun, double>>& shards) {
  const auto count = static_cast<std::uint32_t>(shards.size());
  PartSums sums(0, count, count);
  Gather gather(count);
  Expect expect;
  expect.rows.round = 1;
  expect.rows.open = true;
  EXPECT_TRUE(gather.expect(expect, 1, {0, 100'000}).ok());
  Summed out;
  for (ShardId shard = 0; shard < count; ++shard) {
    const auto& [run, value] = shards[shard];
    const std::vector<double> numbers(static_cast<std::size_t>(run.count), value);
    for (const auto& [partition, parts] :
         sums.add_open(1, shard, SparseRows({run}, numbers, 1), bytes_of(std::to_string(shard)), {{0, {0, 100'000}}})) {
      ++out.messages;
      EXPECT_TRUE(gather.add(parts).ok());
    }
  }
  out.whole = *gather.take();
  return out;
}

TEST(PartSums, LargePartsOfRowsApartAreSentAsTheyAre) {
  const Summed apart = sum_of_shards({{{0, 6000}, 1}, {{6000, 6000}, 2}, {{20'000, 6000}, 3}});
  EXPECT_EQ(apart.messages, 3U);
  EXPECT_EQ(apart.whole.open.runs(), (std::vector<KeyRun>{{0, 12'000}, {20'000, 6000}}));
  EXPECT_EQ(apart.whole.open.pieces().size(), 3U) << "nothing was copied";
  EXPECT_EQ(text_of(apart.whole.notes[2]), "2");
  const std::vector<double> joined = apart.whole.open.joined();
  EXPECT_EQ(joined[5999], 1);
  EXPECT_EQ(joined[6000], 2);
  EXPECT_EQ(joined[17'999], 3);
  EXPECT_EQ(sum_of_shards({{{0, 60}, 1}, {{60, 60}, 2}}).messages, 1U) << "few numbers";
  const Summed common = sum_of_shards({{{0, 12'000}, 1}, {{6000, 12'000}, 2}});
  EXPECT_EQ(common.messages, 1U) << "rows that both have are added up";
  EXPECT_EQ(common.whole.open.joined()[7000], 3);
}

}  // namespace
}  // namespace rota
