#include "core/base/tree.h"

#include <algorithm>
#include <bit>

namespace rota {

std::uint32_t root_level(std::uint32_t count) {
  return count <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

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

std::vector<double> sum_of(std::vector<double> left, std::vector<double> right, Combine how) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = combined(how, left[i], right[i]);
  return left;
}

}  // namespace rota
