// rota-worker: a process that hosts data shards and, unless the job has kvstore processes, partitions of the store.
#include "core/runtime/member.h"
#include "kvstore/host_partitions.h"
#include "worker/worker.h"

int main(int argc, char** argv) {
  using namespace rota;
  return member_main(argc, argv, Role::worker, [](const Member& member, const Welcome& welcome) {
    const JobSettings& job = member.settings;
    std::vector<std::unique_ptr<Node>> nodes;
    nodes.push_back(std::make_unique<Worker>(WorkerSettings{member.index, job.workers, job.threads, job.partitions,
                                                            job.job.staleness, job.asynchronous, job.step_budget},
                                             member.app));
    host_partitions({Role::worker, member.index}, member, welcome, nodes);
    return nodes;
  });
}
