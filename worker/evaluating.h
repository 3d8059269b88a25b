// worker/evaluating.h -- an evaluation in a worker: what its shards, with the slices that come by, and its slices add.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/wire/message.h"
#include "rota/plugin.h"

namespace rota {

// The calls for different shards may run at once; of one shard, one after the other.
class Evaluating {
 public:
  using Slices = std::vector<std::pair<SliceId, const Slice*>>;

  // Of shards first .. first + shards - 1.  `visits`: slices that come to each.  `plugin` outlives this.
  Evaluating(const Plugin& plugin, Epoch epoch, ShardId first, std::size_t shards, std::size_t visits,
             std::size_t terms);

  // A slice is with a shard.
  Status visit(ShardId shard, const Push& push, SliceId slice, const Slice& rows);
  // A visit has ended; on the node's thread.  True behind the last.
  bool visited() { return --visits_left_ == 0; }
  bool visits_left() const { return visits_left_ > 0; }

  // A shard alone, behind its visits, and its share of the slices that stay in this worker.
  Status evaluate(ShardId shard, const Push& push, const Slices& slices);
  // A shard was evaluated; on the node's thread.  True behind the last.
  bool evaluated() { return --shards_left_ == 0; }

  // All of it.
  Evaluated take();

 private:
  struct Share {
    std::vector<double> terms;  // the visits' are added in their order
    std::vector<TermsOf> slices;
  };

  const Plugin& plugin_;
  Epoch epoch_;
  ShardId first_;
  std::size_t visits_left_, shards_left_, terms_;
  std::vector<Share> shares_;  // by shard
};

}  // namespace rota
