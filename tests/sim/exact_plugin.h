// tests/sim/exact_plugin.h -- a small plugin in integers whose model reveals any error of the framework.
//
// Every visit to a row mixes in the shard, the epoch, a random number and the shared totals as last committed, in a way
// that does not commute: a visit left out, made twice, out of order, with a stale total or other random numbers gives
// another hash.  Counts of items are set during the starting pass and must not change.
#pragma once
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rota/plugin.h"

namespace rota::sim {

// What the plugin's hooks saw, over all simulated processes of one life of the cluster.
struct Witness {
  std::set<std::tuple<Epoch, ShardId, SliceId>> visits;
  std::set<std::tuple<RoundId, ShardId>> pushes;
  // Rows as each round committed them (of open_plugin).
  std::map<std::pair<TableId, Key>, std::map<RoundId, std::vector<double>>> committed;
  std::string complaint;  // the first error
};
// The witness of the running simulation (simulations run in one thread).
Witness*& witness();

// `heavy`: makes some rows too heavy for a slice, so that they are replicated.
const Plugin& exact_plugin();

}  // namespace rota::sim
