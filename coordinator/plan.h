// coordinator/plan.h -- what the coordinator was asked to run.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/checkpoint/chunk_files.h"
#include "core/checkpoint/file_copy.h"
#include "core/job/on_loss.h"
#include "core/records/records.h"
#include "core/wire/message.h"
#include "rota/types.h"

namespace rota {

struct RunPlan {
  Hash128 job;
  std::uint32_t workers = 1;
  std::uint32_t schedulers = 1;
  std::uint32_t stores = 0;  // 0: the partitions are embedded in the workers
  std::uint32_t shards = 1;
  std::uint32_t slices = 1;
  std::uint32_t partitions = 1;
  Epoch epochs = 1;            // 0: as the app says
  Epoch eval_every = 1;        // 0: only after the last epoch
  Epoch checkpoint_every = 1;  // 0: only after the last epoch
  Nanoseconds checkpoint_spacing = 0;
  std::uint32_t patience = 0;  // evaluations without a better score of held-out data that end the job; 0: any number
  Nanoseconds start_timeout = 60 * kSecond;
  Nanoseconds peer_timeout = 30 * kSecond;
  // A process that is alive beats within a second and reconnects at once, so silence this long after a broken
  // connection means that it is gone.
  Nanoseconds disconnect_grace = 3 * kSecond;
  // Logged: the model is not reproducible.
  bool time_control = false;
  bool asynchronous = false;
  OnLoss on_loss = OnLoss::restart;
  bool rebalance = true;              // shards move away from workers that are slow for long
  std::uint32_t min_workers = 1;      // with fewer the run waits for others
  Nanoseconds rejoin = 60 * kSecond;  // for how long a process that is missing is awaited
  std::uint64_t era = 1;              // of the run's first attempt in this coordinator
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

}  // namespace rota
