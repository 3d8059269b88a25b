#include "core/job/routes.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace rota {

namespace {

Routes routes_of(Dataflow flow, std::uint32_t shards, const std::string& name) {
  if (flow.steps.empty()) throw std::runtime_error(name + " has no step");
  Routes routes;
  for (std::size_t step = 0; step < flow.steps.size(); ++step) {
    const std::string where = name + ", step " + std::to_string(step);
    if (flow.steps[step].size() != shards)
      throw std::runtime_error(where + ": receivers for " + std::to_string(flow.steps[step].size()) + " of " +
                               std::to_string(shards) + " shards");
    auto& senders = routes.senders.emplace_back(shards);
    for (ShardId s = 0; s < shards; ++s) {
      const std::vector<ShardId>& receivers = flow.steps[step][s];
      for (std::size_t i = 0; i < receivers.size(); ++i) {
        const bool possible = receivers[i] < shards && receivers[i] != s && (i == 0 || receivers[i - 1] < receivers[i]);
        if (!possible)
          throw std::runtime_error(where + ": shard " + std::to_string(s) + " cannot send to " +
                                   std::to_string(receivers[i]) + ": receivers must ascend");
        senders[receivers[i]].push_back(s);
      }
    }
  }
  routes.receivers = std::move(flow.steps);
  return routes;
}

}  // namespace

std::vector<Routes> routes_of(const App& app, const Facts& facts, std::uint32_t shards) {
  std::vector<Routes> all;
  for (Dataflow& flow : app.dataflows(facts))
    all.push_back(routes_of(std::move(flow), shards, "dataflow " + std::to_string(all.size())));
  return all;
}

}  // namespace rota
