// worker/shared_rounds.h -- the ledger of a worker's shared rounds: what each shard has pushed, what was committed, and
// what each shard has seen of that.
//
// Shared rounds come to all shards in the same order; pushes and commits are counted in it, from 0.  Before its k-th
// push of an epoch a shard refreshes from exactly the first max(0, k - s) of the epoch's commits, s being the
// staleness, and at the epoch's end from all of them.  So what a push sees does not depend on which commits have come.
// In an asynchronous run a push sees those that have come.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/commits.h"
#include "core/rounds/gather.h"
#include "core/rounds/sparse_rows.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"
#include "rota/job.h"
#include "rota/push.h"
#include "rota/view.h"
#include "worker/exchanges.h"
#include "worker/shard_steps.h"
#include "worker/worker_state.h"

namespace rota {

// Whether the pushes of all hosted shards are begun at once, and their ends taken at once: those of a dense table need
// no copies of their rows, and if it is small there is little to be kept until the parts are summed.
bool go_together(const Table& table);

// One shard's push of a shared round: what it is shown, and what it makes.
struct RoundPush {
  // What it is shown.  A commit that comes meanwhile changes nothing that is being read: the values are a copy, the
  // round itself waits for this push, and a view does not change as long as a push runs.
  Task task;
  const SharedRows& rows;
  const Table& table;
  std::shared_ptr<const std::vector<double>> values = {};  // row after row, unless they are in a view
  const TableView* view = nullptr;                         // of a dense table
  ScratchPool* scratch = nullptr;                          // of an open round

  // What it makes.
  std::vector<std::size_t> offsets = {};  // where each row's part begins, and where all end
  std::vector<double> parts = {};         // row after row
  SparseRows open_parts = {};             // in an open round, in place of these
  Bytes note = {};
  std::uint64_t items = 0;

  // Called on a compute thread.  `where` names the task.
  Status run(std::string_view plugin, const std::string& where, std::uint64_t seed, Push& push);
};

// A hosted shard in training.
struct LocalShard {
  ShardId id = 0;
  ShardExchanges exchanges;
  ShardSteps steps = {};
  bool busy = false;  // some work on it is running
};

// The commits that a shard refreshes from before a step, in their order.
struct Refresh {
  std::vector<std::shared_ptr<const RoundDeltas>> commits = {};

  bool empty() const { return commits.empty(); }
  // Called on a compute thread.
  Status run(std::string_view plugin, ShardId shard, Push& push) const;
};

class SharedRounds {
 public:
  // Both outlive it.  No shard comes or goes.
  SharedRounds(WorkerState& state, const std::vector<LocalShard>& shards)
      : state_(state), shards_(shards), seen_(state.hosted.size()) {}

  // ---- a round: it begins, every shard pushes, every partition commits
  Status begin(const SharedRows& rows) { return state_.commits.begin(rows); }
  bool is_open(RoundId round) const { return state_.commits.is_open(round); }
  // What the task's push is shown, by what its shard has seen.
  std::shared_ptr<RoundPush> push_of(const Task& task);
  // It has ended: sends the sums of parts that are whole.
  void pushed(RoundPush& push, Outbox& out);
  Status commit(std::uint32_t partition, const Deltas& deltas) {
    shown_ = {};
    ROTA_ASSIGN(auto rounds, state_.commits.commit(partition, deltas));
    for (RoundDeltas& round : rounds) committed_.push_back(std::make_shared<const RoundDeltas>(std::move(round)));
    return {};
  }

  // ---- what a shard sees
  // Whether there is a commit that not all shards have refreshed from.
  bool has_unseen() const { return !committed_.empty(); }
  // Whether all commits that a shard's next step is to see have come, and the views hold just those.
  bool may_step(const LocalShard& shard) const { return due(shard) <= come() && sees_due(shard); }
  bool is_refreshed(const LocalShard& shard) const { return seen(shard).refreshed >= due(shard); }
  // Whether there are commits that it can refresh from before its next step is due.
  bool may_refresh(const LocalShard& shard) const { return seen(shard).refreshed < come() && sees_due(shard); }
  // The commits that it is to refresh from now, as far as they have come.
  Refresh take_due(const LocalShard& shard);
  // All shards look into the same views.  So these take in a commit when every shard is to see it and none is in a
  // hook.  Until then a shard that is ahead waits for those with an earlier round, which wait for none that is ahead.
  void advance_views();
  // Of a shard's last push: no epoch ends for it before it has refreshed from all the epoch's commits.
  Epoch epoch(const LocalShard& shard) const { return seen(shard).epoch; }

 private:
  struct Seen {
    std::uint64_t pushed = 0;     // rounds
    std::uint64_t refreshed = 0;  // commits
    Epoch epoch = 0;
  };
  const Seen& seen(const LocalShard& shard) const { return seen_[shard.id - state_.hosted.first]; }
  Seen& seen(ShardId shard) { return seen_[shard - state_.hosted.first]; }

  // Commits that have come, those forgotten too.
  std::uint64_t come() const { return first_ + committed_.size(); }
  // How many commits a shard must have refreshed from before its next step.
  std::uint64_t due(const LocalShard& shard) const {
    const Seen& of = seen(shard);
    std::uint64_t due = of.pushed;
    if (!shard.steps.next_is(ShardSteps::Step::What::epoch_end))
      due = state_.job().asynchronous ? std::min(due, come())
                                      : due - std::min<std::uint64_t>(due, state_.job().staleness);
    // An epoch begins after the end of the one before, where all was seen.
    return std::max(due, of.refreshed);
  }
  // Whether the views hold just the commits that a shard is to see.
  bool sees_due(const LocalShard& shard) const {
    return !state_.views().any() || state_.views().commits() == due(shard);
  }
  std::vector<std::shared_ptr<const RoundDeltas>> between(std::uint64_t begin, std::uint64_t end) const;

  WorkerState& state_;
  const std::vector<LocalShard>& shards_;
  std::vector<Seen> seen_;                                    // by shard
  std::deque<std::shared_ptr<const RoundDeltas>> committed_;  // and not seen by all shards
  std::uint64_t first_ = 0;                                   // the number of the first of them
  // The rows that the last push was shown.  The shards' pushes of a round see the same ones, if all see as many
  // commits.
  struct Shown {
    RoundId round = 0;
    std::uint64_t commits = 0;
    std::shared_ptr<const std::vector<double>> values = {};
  };
  Shown shown_;
  PartSums part_sums_{state_.hosted.first, state_.hosted.end, state_.job().shards};
  ScratchPool scratch_;
};

}  // namespace rota
