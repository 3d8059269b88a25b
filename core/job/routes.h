// core/job/routes.h -- an app's dataflows, checked, as both ends of each message see them.
#pragma once
#include <cstdint>
#include <vector>

#include "rota/app.h"
#include "rota/dataflow.h"

namespace rota {

struct Routes {
  using OfShards = std::vector<std::vector<ShardId>>;  // by shard, ascending
  std::vector<OfShards> receivers, senders;            // by step

  std::uint32_t steps() const { return static_cast<std::uint32_t>(receivers.size()); }
};

// Of all the app's dataflows.  Throws std::runtime_error if one cannot be: it has no step, or names a shard that there
// is not, or a receiver twice, or in another order, or the sender.
std::vector<Routes> routes_of(const App& app, const Facts& facts, std::uint32_t shards);

}  // namespace rota
