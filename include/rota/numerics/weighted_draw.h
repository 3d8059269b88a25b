// rota/numerics/weighted_draw.h -- draws keys with probability in proportion to their weights, in O(log keys).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rota {

// A complete binary tree: the leaves are the weights of keys 0 .. keys-1, and every node above is the sum of its two
// children.  A change recomputes the sums on the path from its leaf to the root rather than adding the difference to
// them, so that sums never drift: equal weights give equal trees, whatever happened before.  16 bytes a key.
class WeightedDraw {
 public:
  // All weights are zero.
  explicit WeightedDraw(std::size_t keys) : keys_(keys), node_(2 * keys) {}

  std::size_t keys() const { return keys_; }
  double weight(std::size_t key) const { return node_[keys_ + key]; }
  double total() const { return keys_ == 0 ? 0 : node_[1]; }

  // A key of weight 0 is never drawn.  REQUIRES weights >= 0, and a sum of all that is finite.
  void set(std::size_t key, double weight) {
    std::size_t at = keys_ + key;
    node_[at] = weight;
    for (++visited_; at > 1; ++visited_) {
      at /= 2;
      node_[at] = node_[2 * at] + node_[2 * at + 1];
    }
  }
  // All weights at once, in O(keys).
  void set_all(std::span<const double> weights) {
    std::copy(weights.begin(), weights.end(), node_.begin() + static_cast<std::ptrdiff_t>(keys_));
    for (std::size_t at = keys_; at-- > 1;) node_[at] = node_[2 * at] + node_[2 * at + 1];
  }
  std::span<const double> weights() const { return std::span(node_).subspan(keys_); }

  // The key at the share `u` of the total, 0 <= u < 1.  REQUIRES total() > 0.
  std::size_t draw(double u) const {
    double target = u * total();
    std::size_t at = 1;
    for (++visited_; at < keys_; ++visited_) {
      const double left = node_[2 * at], right = node_[2 * at + 1];
      // Rounding may leave a target that is not below the sum: then the last key with a weight is drawn.
      const bool goes_right = right > 0 && target >= left;
      if (goes_right) target -= left;
      at = 2 * at + (goes_right ? 1 : 0);
    }
    return at - keys_;
  }

  // Nodes that were visited by set() and draw(): the measure of their work.
  std::uint64_t visited() const { return visited_; }

 private:
  std::size_t keys_;
  // Node 1 is the root, and those below node i are 2i and 2i + 1; key k is node keys_ + k.  This is a tree for any
  // number of keys, with leaves on one level or two.
  std::vector<double> node_;
  mutable std::uint64_t visited_ = 0;
};

}  // namespace rota
