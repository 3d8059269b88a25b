#include "tests/threads/cluster.h"

#include <thread>

#include "coordinator/coordinator.h"
#include "core/base/clock.h"
#include "core/checkpoint/chunk_files.h"
#include "core/checkpoint/disk_checkpoints.h"
#include "core/job/hosted_app.h"
#include "core/runtime/process.h"
#include "kvstore/partition.h"
#include "scheduler/scheduler.h"
#include "tests/sim/memory_recorder.h"
#include "tests/threads/memory_transport.h"
#include "worker/worker.h"

namespace rota::threads {

namespace {

// Waits end with messages, never with these; a sanitizer makes everything slow.
constexpr Nanoseconds kTimeout = 600 * kSecond;

class Cluster {
 public:
  Cluster(const sim::Shape& shape, unsigned threads, std::filesystem::path run)
      : shape_(shape),
        threads_(threads),
        run_(std::move(run)),
        recorder_(std::make_shared<sim::MemoryRecorder>(std::nullopt, sim::MemoryRecorder::Told{})),
        job_(sim::job_of(shape)) {}

  Outcome run() {
    const RunPlan& plan = shape_.plan;
    std::vector<std::thread> members;
    std::uint64_t start = 1;
    Ending ending;
    std::thread coordinator([this, &ending, own = start++] { ending = coordinate(own); });
    const auto join = [&](NodeId id) { members.emplace_back([this, id, own = start++] { take_part(id, own); }); };
    for (std::uint32_t i = 0; i < plan.schedulers; ++i) join({Role::scheduler, i});
    for (std::uint32_t i = 0; i < plan.workers; ++i) join({Role::worker, i});
    for (std::uint32_t i = 0; i < plan.stores; ++i) join({Role::kvstore, i});
    coordinator.join();
    for (std::thread& member : members) member.join();
    Outcome outcome{ending.code, ending.what, shape_.plan.resume};
    if (recorder_->newest()) outcome.newest = recorder_->newest();
    return outcome;
  }

 private:
  Host::Settings host_settings(NodeId id, std::uint64_t start) const {
    return {id, start, shape_.plan.hash.low, id.name(), kTimeout, kTimeout};
  }

  Ending coordinate(std::uint64_t start) {
    MemoryTransport transport(switchboard_, kCoordinator.name());
    Host host(host_settings(kCoordinator, start));
    RunPlan plan = shape_.plan;
    plan.start_timeout = plan.peer_timeout = plan.disconnect_grace = kTimeout;
    plan.checkpoints = disk_chunk_files(run_);
    host.add(std::make_unique<Coordinator>(plan, recorder_));
    return run_process(kCoordinator, threads_, transport, host);
  }

  void take_part(NodeId id, std::uint64_t start) {
    MemoryTransport transport(switchboard_, id.name());
    Host host(host_settings(id, start));
    Hello hello;
    hello.endpoint = id.name();
    hello.version = ROTA_VERSION;
    hello.job = shape_.plan.hash;
    hello.incarnation = start;
    host.join(
        kCoordinator.name(), hello,
        [this, id](const Welcome& welcome, const Host::Nodes&) { return nodes(id, welcome); }, now_ns());
    (void)run_process(id, threads_, transport, host);
  }

  Result<Host::Nodes> nodes(NodeId id, const Welcome& welcome) {
    const RunPlan& plan = shape_.plan;
    Host::Nodes nodes;
    auto app = host_app(*shape_.plugin, job_);
    if (!app.ok()) return app.status();
    if (id.role == Role::scheduler)
      nodes.push_back(std::make_unique<Scheduler>(
          SchedulerSettings{id.index, plan.schedulers, plan.partitions, shape_.pipeline}, *app));
    const auto hosts = ShardHosts::from(welcome.shard_hosts, plan.shards);
    if (!hosts.ok()) return hosts.status();
    if (id.role == Role::worker)
      nodes.push_back(std::make_unique<Worker>(
          WorkerSettings{id.index, *hosts, threads_, plan.partitions, shape_.staleness, false, 0, shape_.credit},
          *app));
    const bool apart = shape_.own_disk_share > 0;
    const std::filesystem::path disk = apart ? own_disk_of(run_, id) : run_;
    const auto store = disk_checkpoints(disk, welcome.era, welcome.files);
    const auto own = apart ? disk_chunk_files(disk) : nullptr;
    for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
      if (welcome.partition_hosts[p] == id)
        nodes.push_back(std::make_unique<Partition>(
            PartitionSettings{p, hosts->workers(), plan.schedulers, shape_.credit, plan.partitions, plan.copies}, *app,
            store, own));
    return nodes;
  }

  const sim::Shape& shape_;
  unsigned threads_;
  std::filesystem::path run_;
  std::shared_ptr<sim::MemoryRecorder> recorder_;
  Job job_;
  Switchboard switchboard_;
};

}  // namespace

std::filesystem::path own_disk_of(const std::filesystem::path& run, NodeId process) {
  return run / ("own-" + process.name());
}

Outcome run_cluster(const sim::Shape& shape, unsigned threads, const std::filesystem::path& run) {
  return Cluster(shape, threads, run).run();
}

}  // namespace rota::threads
