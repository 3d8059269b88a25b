#include "tests/threads/cluster.h"

#include <thread>

#include "coordinator/coordinator.h"
#include "core/base/clock.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/chunk_files.h"
#include "core/runtime/process.h"
#include "tests/sim/members.h"
#include "tests/sim/memory_recorder.h"
#include "tests/threads/memory_transport.h"

namespace rota::threads {

namespace {

// Waits end with messages, never with these timeouts; a sanitizer makes everything slow.
constexpr Nanoseconds kTimeout = 600 * kSecond;

class Cluster {
 public:
  Cluster(const sim::Shape& shape, unsigned threads, std::filesystem::path run)
      : shape_(shape),
        threads_(threads),
        run_(std::move(run)),
        recorder_(std::make_shared<sim::MemoryRecorder>(std::nullopt, sim::MemoryRecorder::Observer{})),
        job_(sim::job_of(shape)) {
    job_.threads = threads;
  }

  Outcome run() {
    std::vector<std::thread> members;
    std::uint64_t start = 1;
    Ending ending;
    std::thread coordinator([this, &ending, own = start++] { ending = coordinate(own); });
    const auto join = [&](NodeId id) { members.emplace_back([this, id, own = start++] { take_part(id, own); }); };
    sim::start_members(shape_.plan, join);
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
    sim::join(
        host, id, start, shape_.plan.hash, Joins::as_named,
        [this, id](const Welcome& welcome, Host::Nodes before) { return nodes(id, welcome, std::move(before)); },
        now_ns());
    (void)run_process(id, threads_, transport, host);
  }

  Result<Host::Nodes> nodes(NodeId id, const Welcome& welcome, Host::Nodes before) {
    const bool apart = shape_.own_disk_share > 0;
    const std::filesystem::path disk = apart ? own_disk_of(run_, id) : run_;
    const sim::Member member{.id = id,
                             .plan = shape_.plan,
                             .plugin = *shape_.plugin,
                             .job = job_,
                             .threads = threads_,
                             .credit = shape_.credit,
                             .checkpoints = disk_checkpoints(disk, welcome.era, welcome.files),
                             .own_files = apart ? disk_chunk_files(disk) : nullptr};
    return sim::make_nodes(member, welcome, std::move(before));
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

Hash128 calm_hash(sim::Shape shape) {
  shape.plan.workers = 1;
  shape.plan.start_timeout = shape.plan.peer_timeout = shape.plan.disconnect_grace = 3000 * kSecond;
  const sim::Outcome calm = sim::simulate(shape, sim::Faults{}, 1, false);
  ROTA_CHECK(calm.code == ExitCode::ok);
  return calm.model_hash;
}

}  // namespace rota::threads
