// core/base/tree.h -- sums over shards in an order that depends on the shards' numbers only.
//
// The fixed tree: shard s is the leaf (0, s); node (l, i) covers shards i 2^l .. (i+1) 2^l - 1, as far as they
// exist, and its sum is that of its left child plus that of its right.  Whoever holds all leaves of a node may send
// the node's sum in place of the leaves': not a bit of the total changes.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

// Collects sums of subtrees in any order of arrival and adds them in the order of the tree.
class TreeSum {
 public:
  // Over `count` leaves; `root` is the node whose sum is wanted (by default that of all leaves).
  explicit TreeSum(std::uint32_t count);
  TreeSum(std::uint32_t count, TreeNode root) : count_(count), root_(root) {}

  // Takes the sum of a node.  False, and nothing changed, if the node is not of this tree, overlaps one that was
  // added before, or has another width.
  [[nodiscard]] bool add(TreeNode node, std::vector<double> values);
  // The sum, once all leaves are in.
  const std::vector<double>* total() const;

 private:
  bool within_root(TreeNode node) const;
  bool overlaps(TreeNode node) const;

  std::uint32_t count_;
  TreeNode root_;
  std::map<TreeNode, std::vector<double>> sums_;  // of complete subtrees whose parents are not complete
};

}  // namespace rota
