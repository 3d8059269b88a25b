// apps/pagerank/graph.h -- the data, a directed graph with weights, and a step of the power iteration.
//
// An entry is an edge: from, to, weight.  A weight is 1 if it is missing; repeated edges add up.  Nodes are numbered in
// the order of their first occurrence in the files.
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
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "rota/io/entry_reader.h"
#include "rota/numerics/large_vector.h"
#include "rota/once_per_version.h"
#include "rota/packed_app.h"

namespace rota::pagerank {

// What all shards know.
struct Graph {
  std::vector<std::string> names;   // of the nodes
  std::vector<double> out_weight;   // of each node: of its edges out, summed in the order of the input
  std::vector<std::uint64_t> cuts;  // the first node of every shard, and at the end the number of nodes

  void fields(auto& list) {
    list(names, out_weight, cuts);
    list.check(!names.empty() && names.size() == out_weight.size() && !cuts.empty() && std::ranges::is_sorted(cuts) &&
               cuts.front() == 0 && cuts.back() == names.size());
  }
};

// One shard's: the edges into a range of nodes, in the order in which a step reads them.
//
// A rank is a sum in a fixed order, and so a chain of additions that each wait for the previous one.  So kLanes targets
// are summed side by side: first the e-th edges of all of them for every e that all have, then the others of each. They
// have about equally many, because the targets of a block are sorted by their number of edges.  A block's ranks remain
// in the cache while they are written, and its targets, being near each other in the input, share sources.
//
// This is SELL-C-sigma with C = kLanes and sigma = kBlock (Kreutzer, Hager, Wellein, Fehske and Bishop, "A unified
// sparse matrix data format for efficient general sparse matrix-vector multiplication on modern processors with wide
// SIMD units", SIAM Journal on Scientific Computing 2014), with tails in place of padding.
struct InEdges {
  static constexpr std::size_t kLanes = 8, kBlock = 16384;

  std::uint32_t first = 0;                    // node of the range
  std::vector<std::uint32_t> targets, sizes;  // all its nodes, counted from `first`, and their numbers of edges
  std::vector<std::uint32_t> from;            // ascending for a target, each once
  std::vector<double> weights;                // empty if all are 1

  // Calls place(i, e) for the e-th edge of targets[i] of all edges in their order.
  static void for_each_place(std::span<const std::uint32_t> sizes, auto place) {
    for (std::size_t i = 0; i < sizes.size(); i += kLanes) {
      const std::size_t end = std::min(i + kLanes, sizes.size());
      const std::uint32_t shared = end == i + kLanes ? sizes[end - 1] : 0;
      for (std::uint32_t e = 0; e < shared; ++e)
        for (std::size_t l = i; l < end; ++l) place(l, e);
      for (std::size_t l = i; l < end; ++l)
        for (std::uint32_t e = shared; e < sizes[l]; ++e) place(l, e);
    }
  }

  std::uint64_t items() const { return from.size(); }
  void fields(auto& list) {
    list(first, targets, sizes, from, weights);
    bool sorted = true;
    for (std::size_t i = 1; i < sizes.size(); ++i) sorted = sorted && (i % kBlock == 0 || sizes[i - 1] >= sizes[i]);
    list.check(sizes.size() == targets.size() && sorted &&
               std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == from.size() &&
               (weights.empty() || weights.size() == from.size()));
  }
  bool fits(const Graph& graph, const Job& job, ShardId shard) const {
    return graph.cuts.size() == job.shards + std::size_t{1} && first == graph.cuts[shard] &&
           first + targets.size() == graph.cuts[shard + std::size_t{1}] &&
           std::ranges::all_of(targets, [&](std::uint32_t i) { return i < targets.size(); }) &&
           std::ranges::all_of(from, [&](std::uint32_t u) { return u < graph.names.size(); });
  }
};

using LoadedGraph = PackedApp<Graph, InEdges>::Loaded;

// The ranges of the shards have about equal work (edges, and a constant for each node): a rule of the data and of the
// number of shards alone.  Throws NoInput, or DataError with file and line.
LoadedGraph read_graph(const Job& job, const io::EntryForm& form, std::span<const ShardId> hosted);

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
    dangling_ranks_.resize(dangling_.size());
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
      for (const std::uint32_t u : dangling_) sum += ranks[u];
    });
  }
  const Shares& shares(std::uint64_t version, std::span<const double> ranks) {
    constexpr std::size_t kPart = 16384;  // nodes
    const auto begin = [&](Shares& shares) { shares.numbers.resize(ranks.size()); };
    Shares& all = shares_.of_parts(version, (ranks.size() + kPart - 1) / kPart, begin, [&](Shares& shares, auto part) {
      const std::size_t first = part * kPart, end = std::min(first + kPart, ranks.size());
      const auto divide = [&](const auto& divisors) {
        for (std::size_t u = first; u < end; ++u) shares.numbers[u] = ranks[u] / divisors[u];
      };
      divisors_.empty() ? divide(short_divisors_) : divide(divisors_);
      // While the ranks are in the cache.  The sum, a chain of additions, is left.
      for (auto d = std::ranges::lower_bound(dangling_, first); d != dangling_.end() && *d < end; ++d)
        dangling_ranks_[static_cast<std::size_t>(d - dangling_.begin())] = ranks[*d];
    });
    dangling_sum_.of(version, [&](double& sum) {
      sum = std::accumulate(dangling_ranks_.begin(), dangling_ranks_.end(), 0.0);
      all.dangling = sum;
    });
    return all;
  }

  // The next ranks of the nodes of a range.
  void step(const InEdges& edges, const Shares& shares, std::span<double> next) const {
    edges.weights.empty() ? step<false>(edges, shares, next) : step<true>(edges, shares, next);
  }

 private:
  // Edges whose shares are on their way from memory while others are added.
  static constexpr std::size_t kAhead = 128;

  template <bool weighted>
  void step(const InEdges& edges, const Shares& shares, std::span<double> next) const {
    const auto n = static_cast<double>(nodes());
    const double everywhere = (1 - damping_) / n + damping_ * shares.dangling / n;
    const double* const number = shares.numbers.data();
    const std::uint32_t* const from = edges.from.data();
    const double* const weight = edges.weights.data();
    const std::size_t edge_count = edges.from.size();
    std::size_t at = 0;  // of the next edge
    const auto share = [&](std::size_t e) { return weighted ? weight[e] * number[from[e]] : number[from[e]]; };
    const std::vector<std::uint32_t>&targets = edges.targets, &sizes = edges.sizes;
    constexpr std::size_t kLanes = InEdges::kLanes;
    std::size_t i = 0;  // of the next target
    for (; i + kLanes <= targets.size(); i += kLanes) {
      std::array<double, kLanes> sum = {};
      const std::uint32_t shared = sizes[i + kLanes - 1];
      for (std::uint32_t e = 0; e < shared; ++e, at += kLanes) {
        if (at + kAhead + kLanes <= edge_count)
          for (std::size_t l = 0; l < kLanes; ++l) __builtin_prefetch(&number[from[at + kAhead + l]]);
        for (std::size_t l = 0; l < kLanes; ++l) sum[l] += share(at + l);
      }
      for (std::size_t l = 0; l < kLanes; ++l) {
        for (std::uint32_t e = shared; e < sizes[i + l]; ++e) sum[l] += share(at++);
        next[targets[i + l]] = everywhere + damping_ * sum[l];
      }
    }
    for (; i < targets.size(); ++i) {
      double sum = 0;
      for (std::uint32_t e = 0; e < sizes[i]; ++e) sum += share(at++);
      next[targets[i]] = everywhere + damping_ * sum;
    }
  }

  std::uint64_t nodes_;
  bool shares_all_;
  LargeVector<float> short_divisors_;  // if they are exact: half of the memory to read in a step; else
  LargeVector<double> divisors_;
  std::vector<std::uint32_t> dangling_;  // nodes, ascending
  std::vector<double> dangling_ranks_;   // of the version of the shares
  double damping_;
  OncePerVersion<Shares> shares_;
  OncePerVersion<double> dangling_sum_;
};

}  // namespace rota::pagerank
