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
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "apps/pagerank/graph.h"

namespace rota::pagerank {

// The inputs of a step from the ranks of all nodes.
struct Shares {
  double damping;
  std::vector<double> numbers;  // r_u / W_u by node, 0 for a dangling one; then room for products (StepEdges)
  double everywhere = 0;        // (1 - d) / N + d D / N
  double start = 0;             // the rank of every node if none is committed yet (then the table has zeros), else 0

  void spread(double dangling, std::size_t nodes) {
    const auto n = static_cast<double>(nodes);
    everywhere = (1 - damping) / n + damping * dangling / n;
  }
};

// For all shards of a process, computed once for each version of the ranks.
class SharedShares {
 public:
  SharedShares(std::vector<double> out_weight, double damping)
      : divisors_(std::move(out_weight)), shares_{damping, std::vector<double>(divisors_.size())} {
    for (std::uint32_t u = 0; u < divisors_.size(); ++u) {
      if (divisors_[u] > 0) continue;
      divisors_[u] = std::numeric_limits<double>::infinity();
      dangling_.push_back(u);
    }
  }

  std::uint64_t nodes() const { return divisors_.size(); }
  double damping() const { return shares_.damping; }
  double divisor(std::uint32_t node) const { return divisors_[node]; }  // W_u; infinity for a dangling one
  // Where StepEdges reserves room, before the first of().
  std::vector<double>& numbers() { return shares_.numbers; }
  // The shares of the ranks in this version, zeros before the first.  Threads may call it at the same time; the result
  // is valid until a thread asks for another version.  Each StepEdges has its own room in it.
  Shares& of(std::uint64_t version, std::span<const double> ranks) {
    const std::scoped_lock lock(mutex_);
    if (version_ == version) return shares_;
    // A committed rank is positive, since the damping is below 1.
    const bool none = std::ranges::all_of(ranks, [](double r) { return r == 0; });
    const double start = none ? 1 / static_cast<double>(ranks.size()) : 0;
    double* const shares = shares_.numbers.data();
    for (std::size_t u = 0; u < ranks.size(); ++u) shares[u] = (ranks[u] + start) / divisors_[u];
    double dangling = 0;
    for (const std::uint32_t u : dangling_) dangling += ranks[u] + start;
    shares_.start = start;
    shares_.spread(dangling, ranks.size());
    version_ = version;
    return shares_;
  }

 private:
  std::mutex mutex_;
  std::vector<double> divisors_;
  std::vector<std::uint32_t> dangling_;  // nodes, ascending
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
  StepEdges(InEdges edges, std::vector<double>& numbers) : edges_(std::move(edges)), products_at_(numbers.size()) {
    for (std::size_t e = 0; e < edges_.weights.size(); ++e) {
      if (edges_.weights[e] == 1) continue;
      products_.push_back({edges_.from[e], edges_.weights[e]});
      if (numbers.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("more than 2^32 edges with weights in one process: use more workers");
      edges_.from[e] = static_cast<std::uint32_t>(numbers.size());
      numbers.push_back(0);
    }
    edges_.weights = {};
  }

  std::uint32_t first() const { return edges_.first; }
  std::size_t nodes() const { return edges_.targets.size(); }
  std::size_t edges() const { return edges_.from.size(); }
  // The next ranks of the nodes first() .. first() + nodes() - 1.
  void step(Shares& shares, std::span<double> next) const {
    double* const numbers = shares.numbers.data();
    for (std::size_t p = 0; p < products_.size(); ++p)
      numbers[products_at_ + p] = products_[p].weight * numbers[products_[p].from];

    const double* const number = numbers;
    const double everywhere = shares.everywhere, damping = shares.damping;
    const std::uint32_t* from = edges_.from.data();
    const std::vector<std::uint32_t>&targets = edges_.targets, &sizes = edges_.sizes;
    std::size_t i = 0;
    for (; i + kLanes <= targets.size(); i += kLanes) {
      std::array<double, kLanes> sum = {};
      std::array<const std::uint32_t*, kLanes> row;
      for (std::size_t l = 0; l < kLanes; ++l) {
        row[l] = from;
        from += sizes[i + l];
      }
      const std::size_t shortest = sizes[i + kLanes - 1];
      for (std::size_t e = 0; e < shortest; ++e)
        for (std::size_t l = 0; l < kLanes; ++l) sum[l] += number[row[l][e]];
      for (std::size_t l = 0; l < kLanes; ++l) {
        for (std::size_t e = shortest; e < sizes[i + l]; ++e) sum[l] += number[row[l][e]];
        next[targets[i + l]] = everywhere + damping * sum[l];
      }
    }
    for (; i < targets.size(); ++i) {
      double sum = 0;
      for (std::size_t e = 0; e < sizes[i]; ++e) sum += number[*from++];
      next[targets[i]] = everywhere + damping * sum;
    }
  }
  // The sum of |next_v - r_v| over its nodes.  `ranks` are those of all nodes, from which `shares` were computed.
  double change(const Shares& shares, std::span<const double> ranks, std::span<const double> next) const {
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i) change += std::abs(next[i] - ranks[first() + i] - shares.start);
    return change;
  }

 private:
  // Rows that are summed side by side: enough to hide the latency of loads, few enough for the registers.
  static constexpr std::size_t kLanes = 4;
  struct Product {
    std::uint32_t from;
    double weight;
  };
  InEdges edges_;            // whose `from` are places in Shares::numbers
  std::size_t products_at_;  // position in Shares::numbers
  std::vector<Product> products_;
};

}  // namespace rota::pagerank
