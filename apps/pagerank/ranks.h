// apps/pagerank/ranks.h -- a step of the power iteration.
//
// With N nodes, weights w_uv of the edges u -> v, W_u = sum_v w_uv, and the damping d, PageRank (Page, Brin, Motwani
// and Winograd, "The PageRank citation ranking: bringing order to the web", Stanford 1999) is the fixed point of
//
//   r_v  <-  (1 - d) / N  +  d ( D / N  +  sum_{u -> v} w_uv r_u / W_u ),     D = sum of r_u over the nodes u without
//                                                                             edges out (dangling nodes).
//
// D is spread evenly over all nodes, so that the ranks add up to 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "apps/pagerank/graph.h"

namespace rota::pagerank {

// The inputs of a step from the ranks of all nodes.
struct Shares {
  std::vector<double> numbers;  // r_u / W_u by node, 0 for a dangling one; then room for products (StepEdges)
  double everywhere = 0;        // (1 - d) / N + d D / N
  double start = 0;             // the rank of every node if none is committed yet (then the table has zeros), else 0
};

// For all shards of a process, computed once for each version of the ranks.
class SharedShares {
 public:
  SharedShares(const std::vector<double>& out_weight, double damping);

  std::uint64_t nodes() const { return divisors_.size(); }
  double divisor(std::uint32_t node) const { return divisors_[node]; }  // W_u; infinity for a dangling one
  // Where StepEdges reserves room, before the first of().
  std::vector<double>& numbers() { return shares_.numbers; }
  // The shares of the ranks in this version, zeros before the first.  Threads may call it at the same time; the result
  // is valid until a thread asks for another version.  Each StepEdges has its own room in it.
  Shares& of(std::uint64_t version, std::span<const double> ranks);

 private:
  std::mutex mutex_;
  std::vector<double> divisors_;         // W_u, infinity for a dangling node
  std::vector<std::uint32_t> dangling_;  // ascending
  double damping_;
  Shares shares_;
  std::optional<std::uint64_t> version_;  // from which they were computed
};

// The edges of a shard, laid out for a step.  A row of the matrix is a sum in a fixed order, and so a chain of
// additions that each wait for the previous one.  So several rows are summed side by side, which are about equally long
// because the targets are in the order of their number of edges.  An edge whose weight is not 1 reads the product w_uv
// r_u / W_u instead of the share, so that all others need no weight: no bit of the sum depends on it.
class StepEdges {
 public:
  // Reserves room for its products after the `numbers` of the Shares that step() will use.
  StepEdges(const InEdges& edges, std::vector<double>& numbers);

  std::uint32_t first() const { return first_; }
  std::size_t nodes() const { return targets_.size(); }
  std::size_t edges() const { return from_.size(); }
  // The next ranks of the targets, nodes first() .. first() + nodes() - 1.
  void step(Shares& shares, double damping, std::span<double> next) const;

 private:
  struct Product {
    std::uint32_t from;
    double weight;
  };
  std::uint32_t first_;
  std::vector<std::uint32_t> targets_;  // counted from first_, by descending number of edges
  std::vector<std::uint32_t> sizes_;    // the number of edges of each
  std::vector<std::uint32_t> from_;     // target after target: places in Shares::numbers
  std::uint32_t products_at_;           // position in Shares::numbers
  std::vector<Product> products_;
};

// sum_v |next_v - r_v| over the nodes from `first` on.
double l1_change(std::uint32_t first, const Shares& shares, std::span<const double> ranks,
                 std::span<const double> next);

}  // namespace rota::pagerank
