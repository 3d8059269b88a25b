// tests/unit/core/rounds/sparse_rows_test.cc
#include "core/rounds/sparse_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace rota {
namespace {

using RowMap = std::map<Key, std::vector<double>>;

SparseRows rows_of(const RowMap& map, std::uint32_t width) {
  SparseRows rows;
  rows.width = width;
  for (const auto& [key, values] : map) {
    append_run(rows.runs, {key, 1});
    rows.numbers.insert(rows.numbers.end(), values.begin(), values.end());
  }
  return rows;
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
    ASSERT_EQ(sum_of(rows_of(left, width), rows_of(right, width)).runs, rows_of(sum(left, right), width).runs);
    ASSERT_EQ(sum_of(rows_of(left, width), rows_of(right, width)).numbers, rows_of(sum(left, right), width).numbers);
  }
}

// A row that only one has is as it is: a zero in place of the other would turn -0 into 0.
TEST(SparseRows, ARowThatIsNotThereIsNotAddedAsZeros) {
  const SparseRows one = rows_of({{3, {-0.0}}}, 1), other = rows_of({{4, {1.0}}}, 1);
  EXPECT_TRUE(std::signbit(sum_of(one, other).numbers[0]));
  EXPECT_TRUE(std::signbit(sum_of(other, one).numbers[0]));
}

TEST(SparseRows, NotABitOfATreesSumDependsOnWhoHostsTheShards) {
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
      EXPECT_EQ(total.total()->runs, expected->runs);
      EXPECT_EQ(total.total()->numbers, expected->numbers) << shards << " shards, " << workers << " workers";
    }
  }
}

TEST(SparseRows, ARangeHasItsRowsAndTheirNumbers) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 200; ++i) {
    const RowMap map = draw(random, 60, 2);
    const SparseRows all = rows_of(map, 2);
    const Key first = random() % 60, end = first + random() % 60;
    const RowsOfRange range = rows_of_range(all, {first, end});
    const SparseRows expected = rows_of(RowMap(map.lower_bound(first), map.lower_bound(end)), 2);
    ASSERT_EQ(range.runs, expected.runs);
    ASSERT_EQ(range.count, expected.numbers.size());
    ASSERT_TRUE(std::equal(expected.numbers.begin(), expected.numbers.end(),
                           all.numbers.begin() + static_cast<std::ptrdiff_t>(range.first)));
  }
}

}  // namespace
}  // namespace rota
