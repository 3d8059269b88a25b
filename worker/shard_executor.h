// worker/shard_executor.h -- runs the hosted shards' tasks, each shard's in their order, on the compute threads; and
// passes slices, parts and messages of exchanges on.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/runtime/node.h"
#include "worker/epoch_tally.h"
#include "worker/epoch_work.h"
#include "worker/exchanges.h"
#include "worker/lanes.h"
#include "worker/leases.h"
#include "worker/shard_steps.h"
#include "worker/shared_rounds.h"
#include "worker/worker_state.h"

namespace rota {

class ShardExecutor {
 public:
  // Both outlive it.
  ShardExecutor(WorkerState& state, EpochWork& epoch_work);

  // No shard has anything to do.
  bool idle() const {
    return std::ranges::all_of(shards_, [](const LocalShard& shard) {
      return !shard.busy && shard.steps.empty() && shard.exchanges.settled();
    });
  }
  // And no slice is here for a task.
  bool quiet() const { return idle() && state_.leases.quiet(); }

  // REQUIRE that the worker is prepared.
  Status on(const Tasks& tasks, NodeId from, Outbox& out);
  Status on(const Lease& lease, NodeId from, Outbox& out);
  Status on(const Scattered& message, NodeId from, Outbox& out);
  Status on(const Deltas& deltas, NodeId from, Outbox& out);

 private:
  using What = ShardSteps::Step::What;

  LocalShard& shard(ShardId id) { return shards_[id - state_.hosted.first]; }
  std::string_view plugin() const { return state_.plugin().name; }

  // ---- which step begins next
  Status run_ready(Outbox& out);
  bool runnable(const LocalShard& shard) const;
  bool joins(const LocalShard& shard) const;
  static bool visits(const LocalShard& shard) {
    return shard.steps.next_is(What::slice) && !shard.exchanges.has_due(shard.steps);
  }
  static RoundId next_round(const LocalShard& shard);
  LocalShard* next_shard();
  LocalShard* next_shard(std::uint32_t lane, bool full);

  // ---- what a step does
  void begin(LocalShard& shard, Outbox& out);
  template <typename Hook, typename End>
  Work work_on(LocalShard& shard, Refresh refresh, Hook hook, End end);
  void refresh(LocalShard& shard, Outbox& out);
  void visit(LocalShard& shard, Refresh refresh, const Task& task, Outbox& out);
  Status push_slice(const Task& task, Slice& rows, std::uint64_t& items) const;
  void push_shared(LocalShard& shard, Refresh refresh, const Task& task, Outbox& out);
  void exchange(LocalShard& shard, Refresh refresh, ExchangeWork work, Outbox& out);
  Status scatter(LocalShard& shard, ExchangeWork::Sent& sent, Outbox& out);
  void move_on(SliceId slice, Outbox& out);
  void depart(Leases::Departure departure, Outbox& out);

  // One thread takes turns with the loop if the work is brief; several would be kept from working side by side.
  bool alone() const { return state_.job().threads == 1; }

  WorkerState& state_;
  EpochWork& epoch_work_;
  std::vector<LocalShard> shards_;
  SharedRounds shared_{state_, shards_};
  Lanes lanes_{state_.hosted.first, state_.hosted.size(), state_.job().threads};
  std::shared_ptr<WaitingVisits> waiting_visits_ = std::make_shared<WaitingVisits>();
  std::uint32_t running_ = 0;         // tasks with the compute threads
  Expectation pushing_, refreshing_;  // of a shard, in shared rounds
  Expectation visiting_, encoding_;   // of a slice
  EpochTallies tallies_{state_.hosted.size(), state_.job().threads};
};

}  // namespace rota
