// rota-worker: a process that hosts data shards and, unless the job has kvstore processes, partitions of the store.
#include <optional>

#include "core/checkpoint/initial_model.h"
#include "core/runtime/member.h"
#include "kvstore/host_partitions.h"
#include "worker/worker.h"

namespace rota {
namespace {

WorkerSettings settings_of(const Member& member) {
  const JobSettings& job = member.settings;
  return {member.index,      job.workers,      job.threads,     job.partitions,
          job.job.staleness, job.asynchronous, job.step_budget, {}};
}

Result<Host::Nodes> make_nodes(Member& member, const Welcome& welcome, Host::Nodes before) {
  std::optional<Prepared> prepared;
  for (const auto& node : before)
    if (auto* worker = dynamic_cast<Worker*>(node.get()); worker != nullptr && welcome.resume)
      prepared = worker->take_prepared();
  before.clear();
  Host::Nodes nodes;
  if (prepared) {
    nodes.push_back(std::make_unique<Worker>(settings_of(member), *std::move(prepared)));
  } else {
    ROTA_TRY(member.make_app());
    nodes.push_back(std::make_unique<Worker>(settings_of(member), member.app));
  }
  host_partitions({Role::worker, member.index}, member, welcome, nodes);
  return nodes;
}

}  // namespace
}  // namespace rota

int main(int argc, char** argv) {
  return rota::member_main(argc, argv, rota::Role::worker, rota::initial_model, rota::make_nodes);
}
