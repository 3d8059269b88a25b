#include "coordinator/balance.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rota {

namespace {

Balance::Speeds speeds_of(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  Balance::Speeds speeds;
  for (const auto& [worker, took] : seconds) speeds[worker] = hosts.of(worker).size() / took;
  return speeds;
}

// How long the slowest computes.
double longest(const ShardHosts& hosts, const Balance::Speeds& speeds) {
  double most = 0;
  for (const auto& [worker, speed] : speeds) most = std::max(most, hosts.of(worker).size() / speed);
  return most;
}

ShardHosts shared_out(const ShardHosts& hosts, const Balance::Speeds& speeds) {
  const std::vector<std::uint32_t> workers = hosts.workers();
  std::vector<double> weights;
  for (const std::uint32_t worker : workers) weights.push_back(speeds.at(worker));
  return ShardHosts::weighted(workers, weights, hosts.ranges().back().end);
}

// Some worker holds the others up, and it need not be so.
bool is_slow(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  const Balance::Speeds speeds = speeds_of(seconds, hosts);
  return longest(hosts, speeds) >= Balance::kGain * longest(shared_out(hosts, speeds), speeds);
}

}  // namespace

std::optional<Balance::Speeds> Balance::add(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  const bool whole = seconds.size() == hosts.size() && hosts.size() > 1 &&
                     std::all_of(seconds.begin(), seconds.end(),
                                 [&](const auto& one) { return one.second > 0 && hosts.of(one.first).size() > 0; });
  if (!whole) return std::nullopt;
  double slowest = 0;
  for (const auto& [worker, took] : seconds) slowest = std::max(slowest, span_[worker] += took);
  if (slowest < kSeconds) return std::nullopt;
  const auto span = std::exchange(span_, {});
  if (!is_slow(span, hosts)) {
    clear();  // as it should be
    return std::nullopt;
  }
  for (const auto& [worker, took] : span) all_[worker] += took;
  if (++spans_ < needed_) return std::nullopt;
  const auto all = std::exchange(all_, {});
  clear();
  if (!is_slow(all, hosts)) return std::nullopt;
  needed_ *= 2;
  return speeds_of(all, hosts);
}

void Balance::clear() {
  span_.clear();
  all_.clear();
  spans_ = 0;
}

}  // namespace rota
