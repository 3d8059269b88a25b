// worker/neighbours.h -- which shards a worker goes on with while they have slices to visit.
//
// With many shards to host, a task is short and every shard's data is another's a moment later: going through all of
// them with each round would read all that the worker has once a round, from memory.  A few neighbours fit into a
// processor's cache, and pass slices to each other that are in it, too.  Tasks that are given out ahead let them go on
// for some rounds, until they wait for what the shard behind them passes on.  What a push sees and computes is the same
// in any order.
#pragma once
#include <optional>

#include "rota/types.h"

namespace rota {

class Neighbours {
 public:
  static constexpr ShardId kTogether = 8;
  // Rounds that they may be ahead of a visit that could begin elsewhere, so that a slice is never kept long from who
  // waits for it.  With two slices for a shard, eight neighbours come to 32 by themselves.
  static constexpr RoundId kAheadMost = 4 * kTogether;

  // Of shards that begin with this one.
  explicit Neighbours(ShardId first) : first_(first) {}

  ShardId first() const { return first_; }
  bool has(ShardId shard) const { return (shard - first_) / kTogether == group_; }
  void go_on_with(ShardId shard) { group_ = (shard - first_) / kTogether; }

  // Whether a visit of one of them, in round `near`, goes before the earliest step of others.  Only visits give way.
  static bool go_first(RoundId near, RoundId other, bool other_visits) {
    return near <= other || (other_visits && near - other < kAheadMost);
  }

 private:
  ShardId first_;
  ShardId group_ = 0;
};

}  // namespace rota
