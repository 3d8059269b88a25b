// core/base/tree.h -- sums over shards, or their least or largest, in an order that depends on the shards' numbers
// only.
//
// The fixed tree: shard s is the leaf (0, s); node (l, i) covers shards i 2^l .. (i+1) 2^l - 1, as far as they
// exist, and its sum is that of its left child plus that of its right.  A process with all leaves of a node may send
// the node's sum in place of the leaves': not a bit of the total changes.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "rota/types.h"

namespace rota {

struct TreeNode {
  std::uint32_t level = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const TreeNode&, const TreeNode&) = default;
};

// The fewest nodes that cover exactly the shards first .. end-1 of `count`, ascending.
std::vector<TreeNode> largest_subtrees(ShardId first, ShardId end, std::uint32_t count);

// The leaves of a node: first .. end-1, of which those below the count exist.
inline std::uint64_t first_leaf(TreeNode node) {
  return static_cast<std::uint64_t>(node.index) << node.level;
}
inline std::uint64_t end_leaf(TreeNode node) {
  return (static_cast<std::uint64_t>(node.index) + 1) << node.level;
}
// The level of the node that covers `count` leaves.
std::uint32_t root_level(std::uint32_t count);

// What is summed: two sums can be added, and their sum, the left one's first.  `how` is in place of adding.
inline bool can_add(const std::vector<double>& left, const std::vector<double>& right) {
  return left.size() == right.size();
}
std::vector<double> sum_of(std::vector<double> left, std::vector<double> right, Combine how = Combine::sum);

// Collects sums of subtrees in any order of arrival and adds them in the order of the tree.
template <typename Sum>
class TreeSumOf {
 public:
  // Over `count` leaves; `root` is the node whose sum is wanted (by default that of all leaves).
  explicit TreeSumOf(std::uint32_t count) : TreeSumOf(count, TreeNode{root_level(count), 0}) {}
  TreeSumOf(std::uint32_t count, TreeNode root) : count_(count), root_(root) {}

  // Takes the sum of a node.  False, and nothing changed, if the node is not of this tree, overlaps one that was
  // added before, or cannot be added to the others.
  [[nodiscard]] bool add(TreeNode node, Sum sum, Combine how = Combine::sum) {
    if (node.level >= 32 || !within_root(node) || overlaps(node)) return false;
    if (!sums_.empty() && !can_add(sums_.begin()->second, sum)) return false;
    // Climb as long as the sibling is complete too, or has no leaves at all.
    while (node != root_) {
      const TreeNode sibling{node.level, node.index ^ 1U};
      if (first_leaf(sibling) < count_) {
        const auto found = sums_.find(sibling);
        if (found == sums_.end()) break;
        const bool is_left = node.index < sibling.index;
        sum = is_left ? sum_of(std::move(sum), std::move(found->second), how)
                      : sum_of(std::move(found->second), std::move(sum), how);
        sums_.erase(found);
      }
      node = {node.level + 1, node.index / 2};
    }
    sums_.emplace(node, std::move(sum));
    return true;
  }
  // The sum, once all leaves are in.
  const Sum* total() const {
    const auto found = sums_.find(root_);
    return found == sums_.end() ? nullptr : &found->second;
  }
  Sum* total() { return const_cast<Sum*>(std::as_const(*this).total()); }

 private:
  bool within_root(TreeNode node) const {
    return node.level <= root_.level && first_leaf(node) >= first_leaf(root_) && end_leaf(node) <= end_leaf(root_) &&
           first_leaf(node) < count_;
  }
  bool overlaps(TreeNode node) const {
    for (const auto& [other, sum] : sums_)
      if (first_leaf(node) < end_leaf(other) && first_leaf(other) < end_leaf(node)) return true;
    return false;
  }

  std::uint32_t count_;
  TreeNode root_;
  std::map<TreeNode, Sum> sums_;  // of complete subtrees whose parents are not complete
};

using TreeSum = TreeSumOf<std::vector<double>>;

}  // namespace rota
