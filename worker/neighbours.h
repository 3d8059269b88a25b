// worker/neighbours.h -- which shards a worker goes on with while they have slices to visit.
//
// With many shards to host, a task is short and every shard's data is another's a moment later: going through all of
// them with each round would read all that the worker has once a round, from memory.  A few neighbours fit into a
// processor's cache, and pass slices to each other that are in it, too.  Tasks that are given out ahead let them go on
// for some rounds, until they wait for what the shard behind them passes on.  What a push sees and computes is the same
// in any order.
#pragma once
#include <cstdint>

#include "rota/types.h"

namespace rota {

class Neighbours {
 public:
  static constexpr ShardId kTogether = 8;
  // Rounds that they may be ahead of a visit that could begin elsewhere, when that is looked at, so that a slice is
  // never kept long from who waits for it.  With two slices for a shard, eight neighbours come to 32 by themselves.
  static constexpr RoundId kAheadMost = 4 * kTogether;

  // Of shards that begin with this one.
  explicit Neighbours(ShardId first) : first_(first) {}

  ShardId first() const { return first_; }
  bool has(ShardId shard) const { return (shard - first_) / kTogether == group_; }
  // From the first of them to before the last.
  ShardId begin() const { return first_ + group_ * kTogether; }
  ShardId end() const { return begin() + kTogether; }
  void go_on_with(ShardId shard) {
    const ShardId group = (shard - first_) / kTogether;
    in_a_row_ = group == group_ ? in_a_row_ + 1 : 0;
    group_ = group;
  }
  // Whether the others are to be looked at even if one of them can go on: for every eighth visit, as there may be many.
  bool looks_at_others() const { return in_a_row_ % kTogether == 0; }

  // Whether a visit of one of them, in round `near`, goes before the earliest step of others.  Only visits give way.
  static bool go_first(RoundId near, RoundId other, bool other_visits) {
    return near <= other || (other_visits && near - other < kAheadMost);
  }

 private:
  ShardId first_;
  ShardId group_ = 0;
  std::uint32_t in_a_row_ = 0;  // visits since they changed
};

}  // namespace rota
