#include "core/rounds/shard_hosts.h"

#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace rota {

Result<ShardHosts> ShardHosts::from(std::vector<ShardRange> ranges, std::uint32_t shards) {
  std::set<std::uint32_t> workers;
  ShardId first = 0;
  bool fits = true;
  for (const ShardRange& range : ranges) {
    fits = fits && range.end > first && workers.insert(range.worker).second;
    first = range.end;
  }
  if (!fits || first != shards)
    return Status(ExitCode::bug, "the ranges of shards do not make " + std::to_string(shards) + " shards");
  ShardHosts hosts;
  hosts.ranges_ = std::move(ranges);
  return hosts;
}

ShardHosts ShardHosts::even(std::span<const std::uint32_t> workers, std::uint32_t shards) {
  ShardHosts hosts;
  const auto count = static_cast<std::uint64_t>(workers.size());
  for (std::uint64_t i = 0; i < count; ++i)
    hosts.ranges_.push_back({workers[i], static_cast<ShardId>(((i + 1) * shards + count - 1) / count)});
  return hosts;
}

ShardHosts ShardHosts::weighted(std::span<const std::uint32_t> workers, std::span<const double> weights,
                                std::uint32_t shards) {
  ShardHosts hosts;
  double sum = 0, so_far = 0;
  for (const double weight : weights) sum += weight;
  ShardId first = 0;
  const auto count = static_cast<std::uint32_t>(workers.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    so_far += weights[i];
    const double share = sum > 0 ? so_far / sum : 0;
    const auto end = static_cast<ShardId>(std::lround(share * shards));
    // Each worker gets one, the later ones too.
    first = std::clamp<ShardId>(end, first + 1, shards - (count - 1 - i));
    hosts.ranges_.push_back({workers[i], i + 1 == count ? shards : first});
  }
  return hosts;
}

ShardHosts::Shards ShardHosts::of(std::uint32_t worker) const {
  ShardId first = 0;
  for (const ShardRange& range : ranges_) {
    if (range.worker == worker) return {first, range.end};
    first = range.end;
  }
  return {};
}

}  // namespace rota
