#include "core/base/tree.h"

#include <numeric>

namespace rota {
namespace {

// Numbers whose sum depends on the order of the additions.
std::vector<double> uneven(ShardId shard) {
  return {1.0 / (shard + 3), (shard % 2 == 0 ? 1e16 : -1e16) + shard, 0.1 * shard};
}

// The total when workers send their largest subtrees, in an order drawn from `seed`.
std::vector<double> total(std::uint32_t shards, std::uint32_t workers, unsigned seed) {
  std::vector<std::pair<TreeNode, std::vector<double>>> sent;
  for (std::uint32_t w = 0; w < workers; ++w)
    for (const TreeNode node : largest_subtrees(shards * w / workers, shards * (w + 1) / workers, shards)) {
      TreeSum own(shards, node);
      const ShardId first = node.index << node.level;
      for (ShardId s = first; s < std::min(shards, first + (1U << node.level)); ++s)
        EXPECT_TRUE(own.add({0, s}, uneven(s)));
      EXPECT_NE(own.total(), nullptr);
      sent.emplace_back(node, *own.total());
    }
  std::shuffle(sent.begin(), sent.end(), std::mt19937(seed));
  TreeSum sum(shards);
  for (auto& [node, values] : sent) {
    EXPECT_EQ(sum.total(), nullptr);
    EXPECT_TRUE(sum.add(node, values));
  }
  EXPECT_NE(sum.total(), nullptr);
  return *sum.total();
}

TEST(TreeTest, NotABitDependsOnWhoSumsWhatOrWhen) {
  for (const std::uint32_t shards : {1U, 2U, 5U, 8U, 13U}) {
    const auto expected = total(shards, 1, 0);
    for (std::uint32_t workers = 1; workers <= shards; ++workers)
      for (unsigned seed = 0; seed < 5; ++seed) EXPECT_EQ(total(shards, workers, seed), expected) << shards;
  }
}

TEST(TreeTest, WhatDoesNotFitIsRefusedAndChangesNothing) {
  TreeSum sum(5);
  EXPECT_TRUE(sum.add({1, 0}, {1, 2}));
  EXPECT_FALSE(sum.add({0, 1}, {1, 2}));  // in what is there
  EXPECT_FALSE(sum.add({1, 0}, {1, 2}));  // twice
  EXPECT_FALSE(sum.add({2, 0}, {1, 2}));  // around what is there
  EXPECT_FALSE(sum.add({0, 5}, {1, 2}));  // no such shard
  EXPECT_FALSE(sum.add({0, 2}, {1}));     // another width
  EXPECT_TRUE(sum.add({1, 1}, {1, 2}));
  EXPECT_EQ(sum.total(), nullptr);
  EXPECT_TRUE(sum.add({0, 4}, {1, 2}));
  ASSERT_NE(sum.total(), nullptr);
  EXPECT_EQ(*sum.total(), (std::vector<double>{3, 6}));
}

TEST(TreeTest, TheFewestSubtrees) {
  EXPECT_EQ(largest_subtrees(0, 8, 8), (std::vector<TreeNode>{{3, 0}}));
  EXPECT_EQ(largest_subtrees(1, 4, 8), (std::vector<TreeNode>{{0, 1}, {1, 1}}));
  EXPECT_TRUE(largest_subtrees(3, 3, 8).empty());
}

}  // namespace
}  // namespace rota
