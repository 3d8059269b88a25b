// rota-worker: a process that hosts data shards and, unless the job has kvstore processes, partitions of the store.
#include <memory>
#include <utility>

#include "core/checkpoint/model_reader.h"
#include "core/runtime/member.h"
#include "kvstore/host_partitions.h"
#include "worker/worker.h"

namespace rota {
namespace {

Result<Host::Nodes> make_nodes(Member& member, const Welcome& welcome, Host::Nodes before) {
  const auto make_app = [&]() -> Result<std::shared_ptr<const HostedApp>> {
    ROTA_TRY(member.make_app());
    return member.app;
  };
  ROTA_ASSIGN(auto worker, next_worker(welcome, member.config.shards, std::move(before), make_app));
  Host::Nodes nodes;
  nodes.push_back(std::move(worker));
  ROTA_TRY(host_partitions({Role::worker, member.config.index}, member, welcome, nodes));
  return nodes;
}

}  // namespace
}  // namespace rota

int main(int argc, char** argv) {
  return rota::member_main(argc, argv, rota::Role::worker, rota::initial_model, rota::make_nodes);
}
