// Sums over the fixed tree, however shards are grouped.
#include "core/base/tree.h"

#include <cstring>

namespace rota {
namespace {

using Values = std::vector<double>;

// Numbers of very different sizes: nearly every order of adding them gives other last bits.
std::vector<Values> leaves_of(std::uint32_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Values> leaves(count);
  for (Values& leaf : leaves)
    for (int i = 0; i < 4; ++i) {
      const double size = std::ldexp(1.0, static_cast<int>(random() % 120) - 60);
      leaf.push_back((random() % 2 == 0 ? size : -size) * std::uniform_real_distribution<double>(1, 2)(random));
    }
  return leaves;
}

// The definition: a node is its left child plus its right, as far as they have shards.
Values by_definition(const std::vector<Values>& leaves, std::uint32_t level, std::uint64_t index) {
  if (level == 0) return leaves[index];
  Values left = by_definition(leaves, level - 1, 2 * index);
  if (((2 * index + 1) << (level - 1)) >= leaves.size()) return left;
  const Values right = by_definition(leaves, level - 1, 2 * index + 1);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
}

Values by_definition(const std::vector<Values>& leaves) {
  std::uint32_t level = 0;
  while ((std::uint64_t{1} << level) < leaves.size()) ++level;
  return by_definition(leaves, level, 0);
}

void expect_same_bits(const Values& a, const Values& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << what;
}

// Each group sums what it can of its shards, in ranges, and sends the largest subtrees of every range.
Values grouped(const std::vector<Values>& leaves, const std::vector<std::uint32_t>& group_of, std::mt19937_64& random) {
  const auto count = static_cast<std::uint32_t>(leaves.size());
  std::vector<std::pair<TreeNode, Values>> sent;
  for (ShardId first = 0; first < count;) {
    ShardId end = first + 1;
    while (end < count && group_of[end] == group_of[first]) ++end;
    for (const TreeNode node : largest_subtrees(first, end, count)) {
      TreeSum sum(count, node);
      std::vector<ShardId> shards;
      for (std::uint64_t s = std::uint64_t{node.index} << node.level; s < count && s >> node.level == node.index; ++s)
        shards.push_back(static_cast<ShardId>(s));
      std::shuffle(shards.begin(), shards.end(), random);
      for (const ShardId s : shards) EXPECT_TRUE(sum.add({0, s}, leaves[s]));
      if (sum.total() == nullptr) return {};
      sent.emplace_back(node, *sum.total());
    }
    first = end;
  }
  std::shuffle(sent.begin(), sent.end(), random);
  TreeSum total(count);
  for (const auto& [node, sum] : sent) EXPECT_TRUE(total.add(node, sum));
  return total.total() == nullptr ? Values() : *total.total();
}

TEST(Tree, AnyGroupingOfShardsGivesTheBitsOfTheDefinition) {
  for (std::uint32_t count = 1; count <= 33; ++count) {
    const auto leaves = leaves_of(count, count);
    const Values expected = by_definition(leaves);
    std::mt19937_64 random(count);
    for (int round = 0; round < 30; ++round) {
      std::vector<std::uint32_t> group_of(count);
      for (std::uint32_t& group : group_of) group = static_cast<std::uint32_t>(random() % (1 + round % 5));
      expect_same_bits(grouped(leaves, group_of, random), expected, std::to_string(count) + " shards");
    }
  }
}

// If it did not, the test above would show nothing.
TEST(Tree, TheOrderOfAdditionsMatters) {
  const auto leaves = leaves_of(16, 16);
  Values in_a_row(4);
  for (const Values& leaf : leaves)
    for (std::size_t i = 0; i < 4; ++i) in_a_row[i] += leaf[i];
  EXPECT_NE(in_a_row, by_definition(leaves));
}

TEST(Tree, SubtreesCoverExactlyTheRange) {
  for (std::uint32_t count = 1; count <= 20; ++count)
    for (ShardId first = 0; first < count; ++first)
      for (ShardId end = first; end <= count; ++end) {
        std::uint64_t at = first;
        for (const TreeNode node : largest_subtrees(first, end, count)) {
          EXPECT_EQ(std::uint64_t{node.index} << node.level, at);
          at = (std::uint64_t{node.index} + 1) << node.level;
        }
        if (end < count) {
          EXPECT_EQ(at, std::max(first, end)) << first << " to " << end << " of " << count;
        } else {
          EXPECT_GE(at, count);
        }
      }
  EXPECT_EQ(largest_subtrees(0, 5, 5), (std::vector<TreeNode>{{3, 0}})) << "the last subtree may have gaps";
  EXPECT_EQ(largest_subtrees(1, 4, 8), (std::vector<TreeNode>{{0, 1}, {1, 1}})) << "as few as possible";
}

TEST(Tree, RefusesUnfittingNodesAndKeepsItsSum) {
  TreeSum sum(5);
  EXPECT_TRUE(sum.add({1, 0}, {1, 2}));
  EXPECT_FALSE(sum.add({0, 1}, {1, 2}));  // in what is there
  EXPECT_FALSE(sum.add({1, 0}, {1, 2}));  // twice
  EXPECT_FALSE(sum.add({2, 0}, {1, 2}));  // around what is there
  EXPECT_FALSE(sum.add({0, 5}, {1, 2}));  // no such shard
  EXPECT_FALSE(sum.add({0, 2}, {1}));     // another width
  EXPECT_FALSE(sum.add({32, 0}, {1, 2}));
  EXPECT_FALSE(sum.add({~0U, ~0U}, {1, 2}));
  EXPECT_TRUE(sum.add({1, 1}, {1, 2}));
  EXPECT_EQ(sum.total(), nullptr);
  EXPECT_TRUE(sum.add({0, 4}, {1, 2}));
  ASSERT_NE(sum.total(), nullptr);
  EXPECT_EQ(*sum.total(), (std::vector<double>{3, 6}));
}

}  // namespace
}  // namespace rota
