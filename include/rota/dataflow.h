// rota/dataflow.h -- which shard sends to which in an exchange round: a graph of the shards, step after step.
//
// Each shard has a replica of some numbers, works on it alone, and then sends and receives messages along a dataflow,
// from shard to shard, without the store.  A shard waits only for the shards that send to it.  Replicas belong to
// shards and not to workers, so the model depends on the number of shards and not on the machines.
// rota/exchange/dataflows.h makes the usual ones.
#pragma once
#include <vector>

#include "rota/types.h"

namespace rota {

struct Dataflow {
  // The receivers of a shard's message in a step, steps[step][shard]: ascending, each once, never the shard itself.
  std::vector<std::vector<std::vector<ShardId>>> steps;
};

}  // namespace rota
