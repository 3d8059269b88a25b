// core/rounds/shard_hosts.h -- which worker hosts which shards, in one era of a run.  Part of the contract between
// processes: the coordinator decides it, and WELCOME sends it to all.
#pragma once
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "core/base/status.h"
#include "core/wire/message.h"
#include "rota/types.h"

namespace rota {

// Each worker has a range of neighbours, so that a slice on its way round crosses each border between workers once, and
// sums of shards are sums of large subtrees.  The ranges follow each other; their workers may have any numbers, in any
// order.
class ShardHosts {
 public:
  ShardHosts() = default;
  // As a message has them.  ExitCode::bug if they are no ranges of `shards` shards, or name a worker twice.
  static Result<ShardHosts> from(std::vector<ShardRange> ranges, std::uint32_t shards);
  // As many shards for one as for another, or one more.  REQUIRES 1 <= workers.size() <= shards.
  static ShardHosts even(std::span<const std::uint32_t> workers, std::uint32_t shards);

  // Shards in the proportion of the weights, which are above 0, and at least one for each.  REQUIRES the same.
  static ShardHosts weighted(std::span<const std::uint32_t> workers, std::span<const double> weights,
                             std::uint32_t shards);

  std::uint32_t worker_of(ShardId shard) const {
    return std::ranges::upper_bound(ranges_, shard, {}, &ShardRange::end)->worker;
  }
  struct Shards {
    ShardId first = 0, end = 0;
    std::uint32_t size() const { return end - first; }
    bool contains(ShardId shard) const { return shard >= first && shard < end; }
  };
  // Those of a worker; none if it hosts nothing.
  Shards of(std::uint32_t worker) const;

  const std::vector<ShardRange>& ranges() const { return ranges_; }
  std::size_t size() const { return ranges_.size(); }  // workers that host something
  std::vector<std::uint32_t> workers() const {         // in the order of their shards
    const auto workers = std::views::transform(ranges_, &ShardRange::worker);
    return {workers.begin(), workers.end()};
  }
  std::vector<NodeId> nodes() const {  // of these workers
    std::vector<NodeId> nodes;
    for (const ShardRange& range : ranges_) nodes.push_back({Role::worker, range.worker});
    return nodes;
  }

  friend bool operator==(const ShardHosts&, const ShardHosts&) = default;

 private:
  std::vector<ShardRange> ranges_;
};

}  // namespace rota
