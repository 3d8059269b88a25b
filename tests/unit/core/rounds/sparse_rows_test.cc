#include "core/rounds/sparse_rows.h"

#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using RowMap = std::map<Key, std::vector<double>>;

SparseRows rows_of(const RowMap& map, std::uint32_t width) {
  std::vector<KeyRun> runs;
  std::vector<double> numbers;
  for (const auto& [key, values] : map) {
    append_run(runs, {key, 1});
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return {runs, numbers, width};
}

// Numbers whose sums depend on their order.
RowMap draw(std::mt19937_64& random, std::uint64_t keys, std::uint32_t width) {
  RowMap map;
  const std::uint64_t dense = random() % 5;
  for (Key key = 0; key < keys; ++key) {
    if (random() % 4 >= dense) continue;
    for (std::uint32_t i = 0; i < width; ++i)
      map[key].push_back(
          std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 60)));
    map[key].resize(width);
  }
  return map;
}

RowMap sum(RowMap left, const RowMap& right) {
  for (const auto& [key, values] : right) {
    const auto [row, is_new] = left.try_emplace(key, values);
    for (std::size_t i = 0; !is_new && i < values.size(); ++i) row->second[i] += values[i];
  }
  return left;
}

TEST(SparseRows, TheirSumIsThatOfMaps) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    const auto width = static_cast<std::uint32_t>(i % 4);
    const RowMap left = draw(random, 40, width), right = draw(random, 40, width);
    const SparseRows total = sum_of(rows_of(left, width), rows_of(right, width));
    ASSERT_EQ(total.runs(), rows_of(sum(left, right), width).runs());
    ASSERT_EQ(total.joined(), rows_of(sum(left, right), width).joined());
  }
}

// A row of only one operand is unchanged: adding a zero would turn -0 into 0.
TEST(SparseRows, ARowThatIsNotThereIsNotAddedAsZeros) {
  const SparseRows one = rows_of({{3, {-0.0}}}, 1), other = rows_of({{4, {1.0}}}, 1);
  EXPECT_TRUE(std::signbit(sum_of(one, other).joined()[0]));
  EXPECT_TRUE(std::signbit(sum_of(other, one).joined()[0]));
}

TEST(SparseRows, PlacementOfShardsChangesNoBitOfASum) {
  std::mt19937_64 random(11);
  for (const std::uint32_t shards : {1U, 2U, 5U, 8U, 11U}) {
    std::vector<SparseRows> parts;
    for (ShardId s = 0; s < shards; ++s) parts.push_back(rows_of(draw(random, 100, 2), 2));
    std::optional<SparseRows> expected;
    for (std::uint32_t workers = 1; workers <= shards; ++workers) {
      SparseTreeSum total(shards);
      for (std::uint32_t w = workers; w-- > 0;)
        for (const TreeNode node : largest_subtrees(shards * w / workers, shards * (w + 1) / workers, shards)) {
          SparseTreeSum own(shards, node);
          for (ShardId s = std::min<ShardId>(shards, (node.index + 1) << node.level); s-- > node.index << node.level;)
            ASSERT_TRUE(own.add({0, s}, parts[s]));
          ASSERT_TRUE(total.add(node, *own.total()));
        }
      ASSERT_NE(total.total(), nullptr);
      if (!expected) expected = *total.total();
      EXPECT_EQ(total.total()->runs(), expected->runs());
      EXPECT_EQ(total.total()->joined(), expected->joined()) << shards << " shards, " << workers << " workers";
    }
  }
}

TEST(SparseRows, ARangeHasItsRowsAndTheirNumbers) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 200; ++i) {
    const RowMap map = draw(random, 60, 2);
    const SparseRows all = rows_of(map, 2);
    const Key first = random() % 60, end = first + random() % 60;
    const auto [runs, numbers] = all.in_range({first, end});
    const SparseRows expected = rows_of(RowMap(map.lower_bound(first), map.lower_bound(end)), 2);
    ASSERT_EQ(runs, expected.runs());
    ASSERT_EQ(tests::numbers_of(numbers), expected.joined());
  }
}

// Disjoint rows are joined without a copy; only a range that spans both is copied.
TEST(SparseRows, RowsApartShareTheirMemory) {
  const SparseRows low = rows_of({{1, {1, 2}}, {2, {3, 4}}}, 2), high = rows_of({{3, {5, 6}}, {9, {7, 8}}}, 2);
  for (const SparseRows& sum : {sum_of(low, high), sum_of(high, low)}) {
    EXPECT_EQ(sum.runs(), (std::vector<KeyRun>{{1, 3}, {9, 1}}));
    EXPECT_EQ(sum.joined(), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
    ASSERT_EQ(sum.pieces().size(), 2U);
    EXPECT_EQ(sum.pieces()[0].numbers.data(), low.pieces()[0].numbers.data());
    EXPECT_EQ(sum.pieces()[1].numbers.data(), high.pieces()[0].numbers.data());
    const void* const last = sum.in_range({9, 10}).second.view().data();
    EXPECT_EQ(last, high.pieces()[0].numbers.data() + 2);
    EXPECT_EQ(tests::numbers_of(sum.in_range({2, 9}).second), (std::vector<double>{3, 4, 5, 6}));
    EXPECT_TRUE(sum.in_range({4, 9}).second.empty());
  }
  // Rows within two pieces.
  const SparseRows sum = sum_of(sum_of(low, high), rows_of({{2, {10, 20}}, {4, {30, 40}}}, 2));
  EXPECT_EQ(sum.runs(), (std::vector<KeyRun>{{1, 4}, {9, 1}}));
  EXPECT_EQ(sum.joined(), (std::vector<double>{1, 2, 13, 24, 5, 6, 30, 40, 7, 8}));
}

TEST(SparseRows, AlignedNumbersOfAMessageAreNotCopied) {
  const auto memory = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3});
  const Bytes bytes(memory, std::as_bytes(std::span(*memory)));
  const SparseRows there({{4, 2}}, bytes.part(8, 16), 1);
  EXPECT_EQ(there.pieces().at(0).numbers.data(), memory->data() + 1);
  const SparseRows copied({{4, 2}}, bytes.part(4, 16), 1);
  EXPECT_EQ(there.joined(), (std::vector<double>{2, 3}));
  const std::vector<double> numbers = copied.joined();
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(numbers)), bytes.part(4, 16).view()));
}

}  // namespace
}  // namespace rota
