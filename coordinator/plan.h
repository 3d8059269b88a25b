// coordinator/plan.h -- what the coordinator was asked to run, and the phases of a run.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/checkpoint/copies.h"
#include "core/job/job_config.h"
#include "core/records/records.h"

namespace rota {

// The job, and what changes from one attempt to the next.
struct RunPlan : JobConfig {
  RunPlan() = default;
  explicit RunPlan(const JobConfig& config) : JobConfig(config) {}

  // A process that is alive beats within a second and reconnects at once, so silence this long after a broken
  // connection means that it is gone.
  Nanoseconds disconnect_grace = 3 * kSecond;
  std::uint64_t era = 1;  // of the run's first attempt in this coordinator
  // Makes the next era durable and returns its number.  Called on the thread for files.  None: it is one more.
  std::function<Result<std::uint64_t>()> next_era;
  // The run's checkpoints, for copies of what is on other disks.  None: all write there.
  std::shared_ptr<ChunkFiles> checkpoints;
  CopyLimits copies;
  std::optional<CommitRecord> resume;  // continue after it
  std::optional<CommitRecord> best;    // with patience, in a resumed job: of the epoch with the best score until then

  std::vector<NodeId> scheduler_nodes() const { return nodes(Role::scheduler, schedulers); }
  std::vector<NodeId> partition_nodes() const { return nodes(Role::partition, partitions); }

 private:
  static std::vector<NodeId> nodes(Role role, std::uint32_t count) {
    std::vector<NodeId> ids;
    for (std::uint32_t i = 0; i < count; ++i) ids.push_back({role, i});
    return ids;
  }
};

// README.md has what ends each, and events.jsonl their names.
enum class Phase { gathering, loading, cutting, preparing, training, finishing, recovering, migrating, ended };

// Enters one that the run's events report.
inline void enter(Phase& phase, Phase next, Recorder& recorder) {
  static constexpr const char* kNames[] = {"gathering", "loading",    "cutting",   "preparing", "training",
                                           "finishing", "recovering", "migrating", "ended"};
  phase = next;
  recorder.event("phase", {{"phase", kNames[static_cast<int>(next)]}});
}

}  // namespace rota
