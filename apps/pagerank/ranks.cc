#include "apps/pagerank/ranks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rota::pagerank {

std::shared_ptr<const Shares> SharedShares::of(std::uint64_t version, std::span<const double> ranks) {
  const std::scoped_lock lock(mutex_);
  if (shares_ && version_ == version) return shares_;
  const auto nodes = static_cast<double>(ranks.size());
  auto made = std::make_shared<Shares>();
  // A rank that was ever committed is positive, since the damping is below 1.
  if (std::all_of(ranks.begin(), ranks.end(), [](double r) { return r == 0; })) made->start = 1 / nodes;
  made->of_node.resize(ranks.size());
  double dangling = 0;
  for (std::size_t u = 0; u < ranks.size(); ++u) {
    const double rank = ranks[u] + made->start;
    if (out_weight_[u] > 0)
      made->of_node[u] = rank / out_weight_[u];
    else
      dangling += rank;
  }
  made->everywhere = (1 - damping_) / nodes + damping_ * dangling / nodes;
  shares_ = std::move(made);
  version_ = version;
  return shares_;
}

std::vector<double> next_ranks(const InEdges& edges, const Shares& shares, double damping) {
  std::vector<double> next(edges.nodes());
  const double* const share = shares.of_node.data();
  const bool weighted = !edges.weights.empty();
  std::size_t e = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    double sum = 0;
    if (weighted)
      for (; e < edges.ends[i]; ++e) sum += edges.weights[e] * share[edges.from[e]];
    else
      for (; e < edges.ends[i]; ++e) sum += share[edges.from[e]];
    next[i] = shares.everywhere + damping * sum;
  }
  return next;
}

double l1_change(const InEdges& edges, const Shares& shares, std::span<const double> ranks,
                 std::span<const double> next) {
  double change = 0;
  for (std::size_t i = 0; i < next.size(); ++i) change += std::abs(next[i] - ranks[edges.first + i] - shares.start);
  return change;
}

}  // namespace rota::pagerank
