// worker/shard_steps.h -- what one hosted shard has to do, in order, and how many commits it has seen.
#pragma once
#include <cstdint>
#include <deque>

#include "core/wire/message.h"

namespace rota {

class ShardSteps {
 public:
  // A task with a slice and shared rows is two steps; an epoch's end is one of its own.
  struct Step {
    enum class What { slice, shared, exchange, epoch_end } what;
    Task task;
  };

  void add(const Task& task);
  bool empty() const { return steps_.empty(); }
  const Step& front() const { return steps_.front(); }
  Step take();

  // A push of a shared round has ended.  Shared rounds come to all shards in the same order.
  void pushed_shared(Epoch epoch);
  // The shard refreshes from all commits before this one.
  void refresh_until(std::uint64_t commits) { refreshed_ = commits; }
  // Commits that it has refreshed from, of those of all shared rounds.
  std::uint64_t refreshed() const { return refreshed_; }
  // How many it must have refreshed from before its next step: all at an epoch's end, and else all but the last s, the
  // staleness.  Before its k-th push of an epoch those are exactly the epoch's first max(0, k - s), for those of
  // earlier epochs were seen at their ends.  So what a push sees does not depend on what has come.
  std::uint64_t due(std::uint64_t staleness) const;
  // The same of an asynchronous run, where a push sees what has come: the first `come` commits.
  std::uint64_t due_asynchronous(std::uint64_t come) const;
  // Of the last push of a shared round: no epoch ends for a shard before it has refreshed from all its commits.
  Epoch epoch() const { return epoch_; }

 private:
  bool at_epoch_end() const { return !steps_.empty() && steps_.front().what == Step::What::epoch_end; }

  std::deque<Step> steps_;
  std::uint64_t pushed_ = 0, refreshed_ = 0;  // shared rounds
  Epoch epoch_ = 0;
};

}  // namespace rota
