// apps/pagerank/ranks.h -- a step of the power iteration.
//
// With N nodes, weights w_uv of the edges u -> v, W_u = sum_v w_uv, and the damping d, PageRank (Page, Brin, Motwani
// and Winograd, "The PageRank citation ranking: bringing order to the web", Stanford 1999) is the fixed point of
//
//   r_v  <-  (1 - d) / N  +  d ( D / N  +  sum_{u -> v} w_uv r_u / W_u ),     D = sum of r_u over the nodes u without
//                                                                             edges out (dangling nodes).
//
// D is spread over all nodes alike, so that the ranks add up to 1.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "apps/pagerank/graph.h"

namespace rota::pagerank {

// What a step takes from the ranks of all nodes.
struct Shares {
  std::vector<double> of_node;  // r_u / W_u; 0 for a dangling node
  double everywhere = 0;        // (1 - d) / N + d D / N
  double start = 0;             // the rank of every node if none is committed yet (then the table has zeros), else 0
};

// For all shards of a process, made once for each version of the ranks.  Threads may call it at the same time.
class SharedShares {
 public:
  SharedShares(std::vector<double> out_weight, double damping)
      : out_weight_(std::move(out_weight)), damping_(damping) {}

  std::uint64_t nodes() const { return out_weight_.size(); }
  // Of the ranks as they are in this version, zeros before the first; the same object until the version changes.
  std::shared_ptr<const Shares> of(std::uint64_t version, std::span<const double> ranks);

 private:
  std::mutex mutex_;
  std::vector<double> out_weight_;
  double damping_;
  std::shared_ptr<const Shares> shares_;
  std::uint64_t version_ = 0;  // what they are made from
};

// The next ranks of the edges' targets.
std::vector<double> next_ranks(const InEdges& edges, const Shares& shares, double damping);

// sum_v |next_v - r_v| over the edges' targets.
double l1_change(const InEdges& edges, const Shares& shares, std::span<const double> ranks,
                 std::span<const double> next);

}  // namespace rota::pagerank
