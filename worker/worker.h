// worker/worker.h -- hosts data shards: loads them, runs their tasks in order, passes slices on, sends parts.
// README.md has its states.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/job/hosted_app.h"
#include "core/rounds/commits.h"
#include "core/rounds/part_sums.h"
#include "core/rounds/shard_hosts.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "worker/commit_backlog.h"
#include "worker/epoch_tally.h"
#include "worker/evaluating.h"
#include "worker/exchange_work.h"
#include "worker/exchanges.h"
#include "worker/input_reading.h"
#include "worker/lanes.h"
#include "worker/leases.h"
#include "worker/prepared.h"
#include "worker/refreshing.h"
#include "worker/restoring.h"
#include "worker/saving.h"
#include "worker/shard_steps.h"
#include "worker/shared_push.h"

namespace rota {

struct WorkerSettings {
  std::uint32_t index = 0;
  ShardHosts hosts;
  std::uint32_t threads = 1;
  std::uint32_t partitions = 1;
  std::uint32_t staleness = 0;  // rounds that a push lags behind the commits
  bool asynchronous = false;    // a push sees whatever commits have come
  Nanoseconds step_budget = 0;  // time control; 0: none
  Credit credit = {};

  // Tasks that the compute threads are given at a time: one more for each than it runs, so that none waits for this
  // node's thread to hear that it is free.
  std::uint32_t at_once() const { return 2 * threads; }
};

class Worker final : public Node {
 public:
  Worker(WorkerSettings settings, std::shared_ptr<const HostedApp> app);
  // Of a run that begins a new era: with what an earlier worker of this process has prepared.
  Worker(WorkerSettings settings, Prepared prepared);

  NodeId id() const override { return {Role::worker, settings_.index}; }
  Status step(const Envelope& in, Outbox& out) override;
  Status tick(Outbox& out) override;

  // What the next worker can use, whether the run goes on behind a checkpoint or from nothing; nothing if all data has
  // to be read again.  This worker has no work under way, and is of no use afterwards.
  std::optional<Prepared> take_prepared(bool resumes);

  // The slices in this worker's hands now.
  std::vector<SliceId> slices_held() const { return leases_.held_ids(); }

 private:
  struct Shard {
    ShardId id = 0;
    ReadShard read;
    Push* push = nullptr;  // of it
    ShardSteps steps;
    ShardExchanges exchanges;
    bool busy = false;  // some work on it is running
  };

  // Of what is hosted from the next era on.
  struct Plan {
    std::uint64_t number = 0;
    ShardHosts::Shards shards;
  };

  Status on(const Welcome& welcome, NodeId from, Outbox& out);
  Status restore_rows(const Deltas& rows);
  Status on(const ReadAhead& plan, NodeId from, Outbox& out);
  Status on(const JobFacts& facts, NodeId from, Outbox& out);
  Status on(const CutMade& cut, NodeId from, Outbox& out);
  Status on(const Tasks& tasks, NodeId from, Outbox& out);
  Status on(const Lease& lease, NodeId from, Outbox& out);
  Status on(const Scattered& message, NodeId from, Outbox& out);
  Status on(const Deltas& deltas, NodeId from, Outbox& out);
  Status on(const Evaluate& evaluate, NodeId from, Outbox& out);
  Status on(const Stored& stored, NodeId from, Outbox& out);
  Status on(const Save& save, NodeId from, Outbox& out);
  Status on(const Fetched& fetched, NodeId from, Outbox& out);

  Status begin_reading(std::vector<ShardId> wanted, Outbox& out, InputReading::Done done);
  Status adopt_and_tell(Outbox& out);
  std::vector<ShardId> to_read_for(ShardHosts::Shards plan) const;
  Status read_ahead(Outbox& out);
  Views& views() { return attached_->views; }
  const Views& views() const { return attached_->views; }
  const Cut& cut() const { return attached_->cut; }
  ShardExchanges::Lag lag() const { return {settings_.staleness, settings_.asynchronous}; }
  Status shard_attached(Outbox& out);
  Status all_attached(Outbox& out);
  Status check_common(const Bytes& saved) const;
  void ready_if_prepared(Outbox& out);
  Status run_ready(Outbox& out);
  bool runnable(const Shard& shard) const;
  bool joins(const Shard& shard) const;
  static RoundId next_round(const Shard& shard);
  static bool visits(const Shard& shard);
  Shard* next_shard();
  Shard* next_shard(std::uint32_t lane, bool full);
  Status begin(Shard& shard, Outbox& out);
  Result<Bytes> bytes_of(SliceId slice, const Slice& rows) const;
  Status push_slice(Shard& shard, const Task& task, Slice& rows, std::uint64_t& items) const;
  void begin_slice(Shard& shard, Refreshing before, const Task& task, Outbox& out);
  void begin_shared(Shard& shard, Refreshing before, const Task& task, Outbox& out);
  void send_parts(SharedPush& done, Outbox& out);
  void exchange(Shard& shard, Refreshing before, ExchangeWork work, Outbox& out);
  Status scatter(Shard& shard, ExchangeWork::Sent& sent, Outbox& out);
  std::uint64_t commits_to_see(const Shard& shard) const;
  bool sees_due(const Shard& shard) const;
  void advance_views();
  Refreshing take_commits(Shard& shard);
  void refresh(Shard& shard, Outbox& out);
  void move_on(SliceId slice, Outbox& out);
  void depart(Leases::Departure departure, Outbox& out);
  bool idle() const;
  bool quiet() const { return idle() && leases_.quiet(); }
  void evaluate_shards(Outbox& out);
  Status rows_of(SliceId slice, HeldSlice& held) const;
  bool hosts(ShardId shard) const { return hosted_.contains(shard); }
  // The app that has read the first shard hosted here.  There may be several, each with what it read; what is known
  // of the data is said by that of shard 0.
  const App& first_reader() const { return *shards_.front().read.app->app; }
  Shard& shard(ShardId id) { return shards_[id - hosted_.first]; }
  static std::string name_of(const Shard& shard);
  static std::string where(const Task& task);

  WorkerSettings settings_;
  std::shared_ptr<const HostedApp> app_;
  const Plugin& plugin_;
  const Job& job_;
  const ShardHosts::Shards hosted_;
  InputReading reading_;
  bool app_has_read_ = false;           // app_; for more there is another one
  std::map<ShardId, ReadShard> read_;   // and not hosted, or not yet
  std::optional<Plan> plan_;            // that is not fulfilled yet
  std::unique_ptr<Attached> attached_;  // there once the facts are in
  std::vector<Shard> shards_;
  std::size_t terms_ = 0;
  bool has_facts_ = false;
  bool goes_on_ = false;        // with shards that were attached before
  std::vector<Routes> routes_;  // of the app's dataflows
  std::vector<Deltas> early_;   // rows of a resumed job that came before the facts
  std::optional<Epoch> resume_;
  bool prepared_ = false;      // all shards are attached
  std::size_t attaching_ = 0;  // shards that are being attached
  Restoring restoring_;

  Leases leases_;
  Commits commits_;
  CommitBacklog backlog_;
  PartSums part_sums_;
  ScratchPool scratch_;
  Lanes lanes_{hosted_.first, hosted_.size(), settings_.threads};
  std::shared_ptr<WaitingVisits> waiting_visits_ = std::make_shared<WaitingVisits>();
  std::uint32_t running_ = 0;  // tasks with the compute threads
  EpochTallies tallies_;
  std::optional<Evaluating> evaluating_;
  std::unique_ptr<Saving> saving_;  // of the newest checkpoint
};

}  // namespace rota
