// All shards make all steps of an exchange.
#pragma once
#include <vector>

#include "rota/exchange/exchange_push.h"
#include "rota/exchange/replica_exchange.h"

namespace rota::tests {

// `scatter(shard, step, out)` and `gather(shard, step, in)`; returns the bytes that each shard sent.
template <typename Scatter, typename Gather>
std::vector<std::size_t> all_steps(const Dataflow& flow, Scatter scatter, Gather gather) {
  const std::size_t shards = flow.steps.empty() ? 0 : flow.steps[0].size();
  std::vector<std::size_t> bytes(shards);
  for (std::uint32_t step = 0; step < flow.steps.size(); ++step) {
    std::vector<std::vector<Incoming>> in(shards);
    for (ShardId s = 0; s < shards; ++s) {
      Outgoing out(flow.steps[step][s]);
      scatter(s, step, out);
      auto messages = out.take();
      for (std::size_t i = 0; i < messages.size(); ++i) {
        bytes[s] += messages[i].size();
        in[flow.steps[step][s][i]].push_back({s, messages[i]});
      }
    }
    for (ShardId s = 0; s < shards; ++s) gather(s, step, in[s]);
  }
  return bytes;
}

inline std::vector<std::size_t> exchange(const ReplicaExchange& how, const Dataflow& flow,
                                         std::vector<std::vector<double>>& replicas) {
  return all_steps(
      flow, [&](ShardId s, std::uint32_t step, Outgoing& out) { how.scatter(s, replicas[s], step, out); },
      [&](ShardId s, std::uint32_t step, auto& in) { how.gather(s, replicas[s], step, in); });
}

}  // namespace rota::tests
