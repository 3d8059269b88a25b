#include "apps/pagerank/ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace rota::pagerank {
namespace {

// Rows that are summed side by side: enough to hide the latency of loads, few enough for the registers.
constexpr std::size_t kLanes = 4;

// Adds room for `count` numbers and returns the position of the first.
std::uint32_t add_room(std::vector<double>& numbers, std::size_t count) {
  const std::size_t at = numbers.size();
  if (count > std::numeric_limits<std::uint32_t>::max() - at)
    throw std::length_error("more than 2^32 edges with weights in one process: use more workers");
  numbers.resize(at + count);
  return static_cast<std::uint32_t>(at);
}

}  // namespace

SharedShares::SharedShares(const std::vector<double>& out_weight, double damping)
    : divisors_(out_weight), damping_(damping), shares_{std::vector<double>(out_weight.size())} {
  for (std::uint32_t u = 0; u < divisors_.size(); ++u) {
    if (divisors_[u] > 0) continue;
    divisors_[u] = std::numeric_limits<double>::infinity();
    dangling_.push_back(u);
  }
}

Shares& SharedShares::of(std::uint64_t version, std::span<const double> ranks) {
  const std::scoped_lock lock(mutex_);
  if (version_ == version) return shares_;
  const auto nodes = static_cast<double>(ranks.size());
  // A committed rank is positive, since the damping is below 1.
  const bool none = std::all_of(ranks.begin(), ranks.end(), [](double r) { return r == 0; });
  const double start = none ? 1 / nodes : 0;
  double* const shares = shares_.numbers.data();
  for (std::size_t u = 0; u < ranks.size(); ++u) shares[u] = (ranks[u] + start) / divisors_[u];
  double dangling = 0;
  for (const std::uint32_t u : dangling_) dangling += ranks[u] + start;
  shares_.start = start;
  shares_.everywhere = (1 - damping_) / nodes + damping_ * dangling / nodes;
  version_ = version;
  return shares_;
}

StepEdges::StepEdges(const InEdges& edges, std::vector<double>& numbers)
    : first_(edges.first), targets_(edges.nodes()) {
  const auto begin = [&](std::uint32_t i) { return i == 0 ? 0 : edges.ends[i - 1]; };
  const auto size = [&](std::uint32_t i) { return edges.ends[i] - begin(i); };
  std::iota(targets_.begin(), targets_.end(), 0U);
  std::stable_sort(targets_.begin(), targets_.end(), [&](auto a, auto b) { return size(a) > size(b); });
  const auto weighted = std::count_if(edges.weights.begin(), edges.weights.end(), [](double w) { return w != 1; });
  products_at_ = add_room(numbers, static_cast<std::size_t>(weighted));
  from_.reserve(edges.from.size());
  products_.reserve(static_cast<std::size_t>(weighted));
  for (const std::uint32_t i : targets_) {
    sizes_.push_back(static_cast<std::uint32_t>(size(i)));
    for (std::size_t e = begin(i); e < edges.ends[i]; ++e) {
      if (edges.weights.empty() || edges.weights[e] == 1) {
        from_.push_back(edges.from[e]);
        continue;
      }
      from_.push_back(products_at_ + static_cast<std::uint32_t>(products_.size()));
      products_.push_back({edges.from[e], edges.weights[e]});
    }
  }
}

void StepEdges::step(Shares& shares, double damping, std::span<double> next) const {
  double* const numbers = shares.numbers.data();
  for (std::size_t p = 0; p < products_.size(); ++p)
    numbers[products_at_ + p] = products_[p].weight * numbers[products_[p].from];

  const double* const number = numbers;
  const double everywhere = shares.everywhere;
  const std::uint32_t* from = from_.data();
  std::size_t i = 0;
  for (; i + kLanes <= targets_.size(); i += kLanes) {
    std::array<double, kLanes> sum = {};
    std::array<const std::uint32_t*, kLanes> row;
    for (std::size_t l = 0; l < kLanes; ++l) {
      row[l] = from;
      from += sizes_[i + l];
    }
    const std::size_t shortest = sizes_[i + kLanes - 1];
    for (std::size_t e = 0; e < shortest; ++e)
      for (std::size_t l = 0; l < kLanes; ++l) sum[l] += number[row[l][e]];
    for (std::size_t l = 0; l < kLanes; ++l) {
      for (std::size_t e = shortest; e < sizes_[i + l]; ++e) sum[l] += number[row[l][e]];
      next[targets_[i + l]] = everywhere + damping * sum[l];
    }
  }
  for (; i < targets_.size(); ++i) {
    double sum = 0;
    for (std::size_t e = 0; e < sizes_[i]; ++e) sum += number[*from++];
    next[targets_[i]] = everywhere + damping * sum;
  }
}

double l1_change(std::uint32_t first, const Shares& shares, std::span<const double> ranks,
                 std::span<const double> next) {
  double change = 0;
  for (std::size_t i = 0; i < next.size(); ++i) change += std::abs(next[i] - ranks[first + i] - shares.start);
  return change;
}

}  // namespace rota::pagerank
