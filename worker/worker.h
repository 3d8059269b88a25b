// worker/worker.h -- hosts data shards: loads them, runs their tasks in order, passes slices on, sends parts.
// README.md has its states.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/rounds/commits.h"
#include "core/rounds/part_sums.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "rota/plugin.h"
#include "worker/leases.h"
#include "worker/saving.h"

namespace rota {

struct WorkerSettings {
  std::uint32_t index = 0;
  std::uint32_t workers = 1;
  std::uint32_t threads = 1;
  std::uint32_t partitions = 1;
  std::uint32_t staleness = 0;  // rounds that a push lags behind the commits
  bool asynchronous = false;    // a push sees whatever commits have come
  Nanoseconds step_budget = 0;  // time control; 0: none
  Credit credit = {};
};

class Worker final : public Node {
 public:
  // `plugin` outlives the node and all work it starts.
  Worker(WorkerSettings settings, const Plugin& plugin, Job job);

  NodeId id() const override { return {Role::worker, settings_.index}; }
  Status step(const Envelope& in, Outbox& out) override;
  Status tick(Outbox& out) override;

  // The slices in this worker's hands now.
  std::vector<SliceId> slices_held() const { return leases_.held_ids(); }

 private:
  // One thing that a shard has to do.  A task with a slice and shared rows is two; an epoch's end is one of its own.
  struct Step {
    enum class What { slice, shared, epoch_end } what;
    Task task;
  };
  struct Shard {
    ShardId id = 0;
    std::unique_ptr<Push> push;
    std::deque<Step> steps;
    bool busy = false;  // some work on it is running
    // Of the shared rounds, which come to all shards in the same order: how many it has pushed, and how many of their
    // commits it has refreshed from.
    std::uint64_t pushed = 0, refreshed = 0;
    Epoch epoch = 0;  // of the last of them: no epoch ends for a shard before it has refreshed from all its commits
  };
  struct EpochTally {
    std::uint32_t shards_done = 0;
    std::uint64_t items = 0;
    Nanoseconds compute = 0;
    Nanoseconds began = 0;
    std::uint64_t bytes_before = 0;
    std::uint64_t slice_bytes = 0;
  };

  Status on(const Welcome& welcome, NodeId from, Outbox& out);
  Status tell_loaded(Outbox& out);
  Status on(const CutMade& cut, NodeId from, Outbox& out);
  Status on(const Tasks& tasks, NodeId from, Outbox& out);
  Status on(const Lease& lease, NodeId from, Outbox& out);
  Status on(const Deltas& deltas, NodeId from, Outbox& out);
  Status on(const Evaluate& evaluate, NodeId from, Outbox& out);
  Status on(const Save& save, NodeId from, Outbox& out);
  Status on(const Fetched& fetched, NodeId from, Outbox& out);

  Status attached(Outbox& out);
  void fetch_more(Outbox& out);
  void ready_if_prepared(Outbox& out);
  Status run_ready(Outbox& out);
  bool runnable(const Shard& shard) const;
  Status begin(Shard& shard, Outbox& out);
  void begin_slice(Shard& shard, const Task& task, Outbox& out);
  void begin_shared(Shard& shard, const Task& task, Outbox& out);
  Status end_of_epoch(const Task& task, Outbox& out);
  std::uint64_t refreshes_due(const Shard& shard) const;
  std::vector<std::shared_ptr<const RoundDeltas>> unseen_by(const Shard& shard) const;
  void refresh(Shard& shard, Outbox& out);
  void forget_commits();
  void move_on(SliceId slice, Outbox& out);
  void depart(Leases::Departure departure, Outbox& out);
  EpochTally& tally(Epoch epoch, const Outbox& out);
  void tally_work(Epoch epoch, std::uint64_t items, Nanoseconds took, const Outbox& out);
  bool quiet() const;
  // Runs `hook(shard, its share of the slices held here)` once for every shard; `done` when all have ended.
  using SliceList = std::vector<std::pair<SliceId, HeldSlice*>>;
  template <typename Result>
  Status for_all_shards(std::function<Status(Shard&, const SliceList&, Result&)> hook,
                        std::function<void(std::vector<Result>&, Outbox&)> done, Outbox& out);
  Status rows_of(SliceId slice, HeldSlice& held) const;
  bool hosts(ShardId shard) const { return shard >= first_ && shard < end_; }
  Shard& shard(ShardId id) { return shards_[id - first_]; }
  std::string where(const Task& task) const;

  WorkerSettings settings_;
  const Plugin& plugin_;
  Job job_;
  ShardId first_ = 0, end_ = 0;  // hosted shards
  std::vector<Shard> shards_;
  std::optional<Loaded> loaded_;                         // until it is sent
  std::optional<std::pair<Hash128, Hash128>> contents_;  // of input and held-out data
  std::vector<Table> tables_;
  std::vector<Term> terms_;
  std::optional<Epoch> resume_;
  Cut cut_;
  bool prepared_ = false;      // all shards are attached
  std::size_t preparing_ = 0;  // attachments, and then restorations, still running or on their way
  std::deque<Fetch> to_fetch_;
  std::size_t fetching_ = 0;  // asked for, and not restored yet

  Leases leases_;
  Commits commits_;
  // Commits that not all shards have refreshed from, in order; the first is that of shared round `committed_before_`.
  std::deque<std::shared_ptr<const RoundDeltas>> committed_;
  std::uint64_t committed_before_ = 0;
  PartSums part_sums_;
  std::uint32_t running_ = 0;  // tasks with the compute threads
  std::map<Epoch, EpochTally> tallies_;
  std::unique_ptr<Saving> saving_;  // of the newest checkpoint
};

}  // namespace rota
