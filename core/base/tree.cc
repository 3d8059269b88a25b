#include "core/base/tree.h"

#include <algorithm>
#include <bit>

namespace rota {

namespace {

std::uint64_t first_leaf(TreeNode node) {
  return static_cast<std::uint64_t>(node.index) << node.level;
}
std::uint64_t end_leaf(TreeNode node) {
  return (static_cast<std::uint64_t>(node.index) + 1) << node.level;
}

std::uint32_t root_level(std::uint32_t count) {
  return count <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

}  // namespace

std::vector<TreeNode> largest_subtrees(ShardId first, ShardId end, std::uint32_t count) {
  std::vector<TreeNode> nodes;
  std::uint64_t at = first;
  while (at < end) {
    TreeNode node{0, static_cast<std::uint32_t>(at)};
    while (node.level < root_level(count)) {
      const TreeNode parent{node.level + 1, node.index / 2};
      const std::uint64_t covered = std::min<std::uint64_t>(end_leaf(parent), count);
      if (first_leaf(parent) != at || covered > end) break;
      node = parent;
    }
    nodes.push_back(node);
    at = end_leaf(node);
  }
  return nodes;
}

TreeSum::TreeSum(std::uint32_t count) : TreeSum(count, TreeNode{root_level(count), 0}) {}

bool TreeSum::within_root(TreeNode node) const {
  return node.level <= root_.level && first_leaf(node) >= first_leaf(root_) && end_leaf(node) <= end_leaf(root_) &&
         first_leaf(node) < count_;
}

bool TreeSum::overlaps(TreeNode node) const {
  for (const auto& [other, sum] : sums_)
    if (first_leaf(node) < end_leaf(other) && first_leaf(other) < end_leaf(node)) return true;
  return false;
}

bool TreeSum::add(TreeNode node, std::vector<double> values) {
  if (node.level >= 32 || !within_root(node) || overlaps(node)) return false;
  if (!sums_.empty() && sums_.begin()->second.size() != values.size()) return false;
  // Climb as long as the sibling is complete too, or has no leaves at all.
  while (node != root_) {
    const TreeNode sibling{node.level, node.index ^ 1U};
    if (first_leaf(sibling) < count_) {
      const auto found = sums_.find(sibling);
      if (found == sums_.end()) break;
      std::vector<double>& other = found->second;
      std::vector<double>& left = node.index < sibling.index ? values : other;
      const std::vector<double>& right = node.index < sibling.index ? other : values;
      for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
      if (&left == &other) values = std::move(other);
      sums_.erase(found);
    }
    node = {node.level + 1, node.index / 2};
  }
  sums_.emplace(node, std::move(values));
  return true;
}

const std::vector<double>* TreeSum::total() const {
  const auto found = sums_.find(root_);
  return found == sums_.end() ? nullptr : &found->second;
}

}  // namespace rota
