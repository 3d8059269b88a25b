// apps/pagerank/power_iteration.h -- a step of the power iteration.
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
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "apps/pagerank/graph.h"
#include "rota/numerics/large_vector.h"
#include "rota/once_per_version.h"

namespace rota::pagerank {

// The edges of a shard in the order in which a step reads them: in tiles of kTile targets by kTile sources.  The shares
// that a tile reads and the sums that it adds to, at random, together fit into a second cache of 1 MiB, and their
// numbers into 16 bits.
//
// Tiles are in the order of their sources, and so are the edges in each sum.  A sum is a chain of additions that each
// wait for the previous one.  So kLanes targets are summed side by side: first the e-th edges of all of them for every
// e that all have, then the others of each.  They have about equally many, because the targets of a tile are sorted by
// their number of edges in it.  This is SELL-C-sigma with C = kLanes (Kreutzer, Hager, Wellein, Fehske and Bishop, "A
// unified sparse matrix data format for efficient general sparse matrix-vector multiplication on modern processors with
// wide SIMD units", SIAM Journal on Scientific Computing 2014) in each tile, with tails in place of padding.
//
// A weight takes four times the memory of a source.  A few repeated edges among ones should not make all edges read
// one: so targets with edges of other weights than 1 have a tile of their own, after the tile of the others.
//
// Other threads have just written many of the shares, and their core's cache may be far away.  So unless a second cache
// has room for all shares, those of the edges to come are prefetched, kAhead edges before they are needed.
class EdgeTiles {
 public:
  static constexpr std::uint32_t kLanes = 8, kTile = 49152, kAhead = 192;
  static constexpr std::size_t kNear = std::size_t{128} << 10;  // shares that a second cache of 1 MiB has room for

  EdgeTiles() = default;
  explicit EdgeTiles(const InEdges& edges);

  std::uint64_t edges() const { return edges_; }
  // next[v] = everywhere + damping * (the sum of w_uv shares[u] over the edges u -> v), for every target v.  REQUIRES:
  // `next` is all 0.
  void step(std::span<const double> shares, double everywhere, double damping, std::span<double> next) const;

 private:
  struct Tile {
    std::uint32_t first_target, first_source;
    std::uint32_t rows;  // targets that have edges in it
    std::uint32_t edges;
    bool weighted;  // else all its weights are 1
  };
  struct Position {  // where the arrays have a tile
    std::size_t row = 0, edge = 0, weight = 0;
  };
  struct Row;
  void add_tile(std::span<const Row> rows, const InEdges& edges);
  template <bool weighted, bool prefetched>
  void add(const Tile& tile, const Position& at, const double* shares, double* sums) const;

  std::uint64_t edges_ = 0;
  std::vector<Tile> tiles_;
  std::vector<std::uint16_t> targets_, sizes_;  // of the rows, tile after tile: counted from its first; and of edges
  std::vector<std::uint16_t> sources_;  // of the edges, tile after tile, counted from its first; and kAhead zeros
  std::vector<double> weights_;         // of the edges of weighted tiles
};

// What a step needs to know of all ranks.
struct Shares {
  LargeVector<double> numbers;  // r_u / W_u by node, 0 for a dangling one
  double dangling = 0;          // D
};

// W_u; infinity for a dangling node.
inline double divisor_of(double out_weight) {
  return out_weight > 0 ? out_weight : std::numeric_limits<double>::infinity();
}

// One for all shards of a process.
class PowerIteration {
 public:
  // `shares_all`: the shards take the shares of all nodes from here, because they have more edges than there are nodes.
  PowerIteration(const std::vector<double>& out_weight, double damping, bool shares_all = true)
      : nodes_(out_weight.size()), shares_all_(shares_all), damping_(damping) {
    const auto exact = [](double weight) { return static_cast<double>(static_cast<float>(weight)) == weight; };
    for (std::uint32_t u = 0; u < out_weight.size(); ++u)
      if (out_weight[u] <= 0) dangling_.push_back(u);
    if (!shares_all) return;
    dangling_sums_.resize(parts());
    if (std::ranges::all_of(out_weight, exact))
      for (const double weight : out_weight) short_divisors_.push_back(static_cast<float>(divisor_of(weight)));
    else
      for (const double weight : out_weight) divisors_.push_back(divisor_of(weight));
  }

  std::uint64_t nodes() const { return nodes_; }
  bool shares_all() const { return shares_all_; }
  // D of these ranks, and the shares of all nodes, computed once for each version; see once_per_version.h.
  double dangling(std::uint64_t version, std::span<const double> ranks) {
    return dangling_sum_.of(version, [&](double& sum) {
      sum = 0;
      for (std::size_t part = 0; part < parts(); ++part) sum += dangling_in(part, ranks);
    });
  }
  const Shares& shares(std::uint64_t version, std::span<const double> ranks) {
    const auto begin = [&](Shares& shares) { shares.numbers.resize(ranks.size()); };
    Shares& all = shares_.of_parts(version, parts(), begin, [&](Shares& shares, std::size_t part) {
      const std::size_t end = std::min((part + 1) * kPart, ranks.size());
      const auto divide = [&](const auto& divisors) {
        for (std::size_t u = part * kPart; u < end; ++u) shares.numbers[u] = ranks[u] / divisors[u];
      };
      divisors_.empty() ? divide(short_divisors_) : divide(divisors_);
      dangling_sums_[part] = dangling_in(part, ranks);  // while the ranks are in the cache
    });
    dangling_sum_.of(version, [&](double& sum) {
      sum = all.dangling = std::accumulate(dangling_sums_.begin(), dangling_sums_.end(), 0.0);
    });
    return all;
  }

  // The next ranks of a shard's nodes.  REQUIRES: `next` is all 0.
  void step(const EdgeTiles& edges, const Shares& shares, std::span<double> next) const {
    const auto n = static_cast<double>(nodes());
    edges.step(shares.numbers, (1 - damping_) / n + damping_ * shares.dangling / n, damping_, next);
  }

 private:
  // D is a sum of sums over parts of the nodes, so that threads share them.
  static constexpr std::size_t kPart = 16384;  // nodes
  std::size_t parts() const { return (nodes_ + kPart - 1) / kPart; }
  double dangling_in(std::size_t part, std::span<const double> ranks) const {
    double sum = 0;
    for (auto u = std::ranges::lower_bound(dangling_, part * kPart); u != dangling_.end() && *u < (part + 1) * kPart;
         ++u)
      sum += ranks[*u];
    return sum;
  }

  std::uint64_t nodes_;
  bool shares_all_;
  LargeVector<float> short_divisors_;  // if they are exact: half of the memory to read in a step; else
  LargeVector<double> divisors_;
  std::vector<std::uint32_t> dangling_;  // nodes, ascending
  std::vector<double> dangling_sums_;    // of each part, of the version of the shares
  double damping_;
  OncePerVersion<Shares> shares_;
  OncePerVersion<double> dangling_sum_;
};

}  // namespace rota::pagerank
