// tests/unit/worker/part_sums_test.cc
#include "worker/part_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace rota {
namespace {

std::vector<double> numbers_of(const Bytes& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.view().data(), bytes.size());
  return numbers;
}

TEST(PartSums, AreSentWhenASubtreeIsWhole) {
  PartSums sums(0, 3, 8);  // shards 0 and 1 are one subtree, 2 is another
  const std::vector<std::uint32_t> partitions = {0, 0};
  EXPECT_TRUE(sums.add(1, 1, {1, 2}, partitions).empty());
  const auto alone = sums.add(1, 2, {5, 6}, partitions);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].second.node, (TreeNode{0, 2}));
  const auto both = sums.add(1, 0, {10, 20}, partitions);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].first, 0U);
  EXPECT_EQ(both[0].second.round, 1U);
  EXPECT_EQ(both[0].second.node, (TreeNode{1, 0}));
  EXPECT_EQ(numbers_of(both[0].second.sums), (std::vector<double>{11, 22}));
}

TEST(PartSums, EachPartitionGetsItsOwnRowsInTheirOrder) {
  PartSums sums(0, 1, 1);
  const auto out = sums.add(7, 0, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 0, 2, 0});  // four rows of two
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].first, 0U);
  EXPECT_EQ(numbers_of(out[0].second.sums), (std::vector<double>{3, 4, 7, 8}));
  EXPECT_EQ(out[1].first, 2U);
  EXPECT_EQ(numbers_of(out[1].second.sums), (std::vector<double>{1, 2, 5, 6}));
}

TEST(PartSums, RoundsDoNotMix) {
  PartSums sums(0, 2, 2);
  EXPECT_TRUE(sums.add(1, 0, {1}, {0}).empty());
  EXPECT_TRUE(sums.add(2, 1, {20}, {0}).empty());
  EXPECT_EQ(numbers_of(sums.add(2, 0, {10}, {0}).at(0).second.sums), (std::vector<double>{30}));
  EXPECT_EQ(numbers_of(sums.add(1, 1, {2}, {0}).at(0).second.sums), (std::vector<double>{3}));
}

// What partitions add up is the same to the last bit, whichever way shards are spread over workers.
TEST(PartSums, NotABitDependsOnTheWorkers) {
  const std::uint32_t shards = 11;
  std::mt19937_64 random(1);
  std::vector<double> part(shards);
  for (double& x : part)
    x = std::ldexp(std::uniform_real_distribution<double>(1, 2)(random), static_cast<int>(random() % 90));
  std::optional<double> expected;
  for (std::uint32_t workers = 1; workers <= shards; ++workers) {
    TreeSum total(shards);
    for (std::uint32_t w = 0; w < workers; ++w) {
      const ShardId first = shards * w / workers, end = shards * (w + 1) / workers;
      PartSums sums(first, end, shards);
      for (ShardId s = end; s-- > first;)
        for (const auto& [partition, parts] : sums.add(1, s, {part[s]}, {0}))
          EXPECT_TRUE(total.add(parts.node, numbers_of(parts.sums)));
    }
    ASSERT_NE(total.total(), nullptr) << workers;
    if (!expected) expected = (*total.total())[0];
    EXPECT_EQ((*total.total())[0], *expected) << workers;
  }
}

}  // namespace
}  // namespace rota
