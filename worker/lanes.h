// worker/lanes.h -- the shards of a worker of several threads, shared out so that a thread continues with what it has
// in its cache.
//
// The hosted shards are as many runs of neighbours as there are threads: lanes.  Tasks are begun in the lane that has
// the fewest under way, and within it with neighbours.  A thread that is free takes a visit of the lane that it was in
// last, if one waits, and else the one that has waited longest: no thread is idle while there is something to do.
// Which thread visits, and in which order, changes nothing of what a push sees and computes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/runtime/node.h"
#include "rota/types.h"

namespace rota {

// The shards that a thread continues with while they have slices to visit.
//
// With many shards to host, a task is short and every shard's data is another's a moment later: going through all of
// them with each round would read all that the worker has once a round, from memory.  A few neighbours fit into a
// processor's cache, and pass slices to each other that are in it, too.  Tasks that are given out ahead let them
// continue for some rounds, until they wait for what the shard after them passes on.
class Neighbours {
 public:
  static constexpr ShardId kTogether = 8;
  // Rounds that they may be ahead of a visit that could begin elsewhere, when that is looked at, so that a slice is
  // never kept long from a shard that waits for it.  With two slices for a shard, eight neighbours come to 32 by
  // themselves.
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
  // Whether the others are to be looked at even if one of them can continue: for every eighth visit, as there may be
  // many.
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

class Lanes {
 public:
  Lanes(ShardId first, std::uint32_t shards, std::uint32_t threads) : first_(first), shards_(shards) {
    const std::uint32_t count = std::clamp(shards, std::uint32_t{1}, std::max(threads, std::uint32_t{1}));
    for (std::uint32_t lane = 0; lane < count; ++lane)
      lanes_.push_back({Neighbours(first + static_cast<ShardId>(std::uint64_t{shards} * lane / count))});
  }

  std::uint32_t of(ShardId shard) const {
    std::uint32_t lane = 0;
    while (lane + 1 < lanes_.size() && shard >= begin(lane + 1)) ++lane;
    return lane;
  }
  // Its shards: from the first to before the last.
  ShardId begin(std::uint32_t lane) const { return lanes_[lane].neighbours.first(); }
  ShardId end(std::uint32_t lane) const { return lane + 1 < lanes_.size() ? begin(lane + 1) : first_ + shards_; }
  Neighbours& neighbours(std::uint32_t lane) { return lanes_[lane].neighbours; }

  void begun(ShardId shard) { ++lanes_[of(shard)].running; }
  void ended(ShardId shard) { --lanes_[of(shard)].running; }
  // All of them, the one with the fewest tasks under way first.
  std::vector<std::uint32_t> by_need() const {
    std::vector<std::uint32_t> order(lanes_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, [this](std::uint32_t a, std::uint32_t b) { return lanes_[a].running < lanes_[b].running; });
    return order;
  }

 private:
  struct Lane {
    Neighbours neighbours;
    std::uint32_t running = 0;
  };
  ShardId first_;
  std::uint32_t shards_;
  std::vector<Lane> lanes_;
};

// What waits for a compute thread, by lanes.  Threads may use it at once.
class WaitingVisits {
 public:
  void add(std::uint32_t lane, Work work) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({lane, std::move(work)});
  }
  // Does one, on this thread.  REQUIRES that at least as many were added as this is called.
  Continuation do_one() {
    Waiting next;
    {
      const std::scoped_lock lock(mutex_);
      std::uint32_t& last = last_[std::this_thread::get_id()];
      auto found = std::ranges::find_if(waiting_, [last](const Waiting& one) { return one.lane == last; });
      if (found == waiting_.end()) found = waiting_.begin();
      next = std::move(*found);
      waiting_.erase(found);
      last = next.lane;
    }
    return next.work();
  }

 private:
  struct Waiting {
    std::uint32_t lane = 0;
    Work work;
  };
  std::mutex mutex_;
  std::deque<Waiting> waiting_;                    // guarded by mutex_
  std::map<std::thread::id, std::uint32_t> last_;  // the lane that each thread was in; guarded too
};

}  // namespace rota
