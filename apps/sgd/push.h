// apps/sgd/push.h -- one shard of the stochastic optimisers; with an --exchange other than the store it has weights of
// its own, which are exchanged with others' without the store.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/rows_push.h"
#include "rota/dataflow.h"

namespace rota::sgd {

// The dataflows of --exchange; none for --exchange=store.
std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards);

// With a stream there are no rows of training in memory.
std::unique_ptr<Push> sgd_push(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all,
                               const ShardRows& training, ShardRows held_out,
                               std::unique_ptr<linear::RowStream> stream);

}  // namespace rota::sgd
