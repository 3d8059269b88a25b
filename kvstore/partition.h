// kvstore/partition.h -- a part of the store: sums the shards' parts, runs pull, commits, and sends what changed.
// README.md has its states.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/seed.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/job/hosted_app.h"
#include "core/rounds/gather.h"
#include "core/rounds/rows.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "kvstore/checkpoints.h"

namespace rota {

struct PartitionSettings {
  std::uint32_t index = 0;
  std::vector<std::uint32_t> workers = {0};  // that host shards
  Credit credit = {};
  CopyLimits copies = {};
};

class Partition final : public Node {
 public:
  // `own`: the files of `store`, if they are on a disk that the coordinator does not see; else none.
  Partition(PartitionSettings settings, std::shared_ptr<const HostedApp> app, std::shared_ptr<CheckpointStore> store,
            std::shared_ptr<ChunkFiles> own = nullptr);

  NodeId id() const override { return {Role::partition, settings_.index}; }
  Status step(const Envelope& in, Outbox& out) override;
  Status tick(Outbox& out) override {
    if (server_) server_->tick(out);
    return {};
  }

 private:
  Status on(const Welcome& welcome, NodeId from, Outbox& out);
  Status on(const JobFacts& message, NodeId from, Outbox& out);
  Status on(const Expect& expect, NodeId from, Outbox& out);
  Status on(const Parts& parts, NodeId from, Outbox& out);
  Status on(const Evaluate& evaluate, NodeId from, Outbox& out);
  Status on(const Save& save, NodeId from, Outbox& out);
  Status on(const Put& put, NodeId from, Outbox& out);
  Status on(const Fetch& fetch, NodeId from, Outbox& out);
  Status on(const AskChunk& ask, NodeId from, Outbox& out);
  Status on(const Chunk& chunk, NodeId from, Outbox& out);
  Status commit_whole(Outbox& out);
  Status evaluate_if_over(Outbox& out);
  // The terms of the rows, and how long they took.
  Result<std::pair<Evaluated, Nanoseconds>> evaluate(Epoch epoch);
  // What pull has made of a round.
  struct Done {
    Deltas deltas;
    RoundFeedback feedback;  // for the scheduler that awaits it
    Nanoseconds took = 0;
  };
  Result<Done> run_pull(Gather::Whole& whole);
  PullEntries name_rows(const Gather::Whole& whole);
  Status commit(const Gather::Whole& whole, Done done, Outbox& out);
  void restore_if_ready(Outbox& out);
  Status restore_pull();

  PartitionSettings settings_;
  std::vector<NodeId> workers_;
  std::shared_ptr<const HostedApp> app_;
  const Plugin& plugin_;
  std::unique_ptr<Pull> pull_;
  std::vector<Term> terms_;
  std::shared_ptr<CheckpointStore> store_;
  std::optional<OwnDisk> own_;
  Rows rows_{std::vector<Table>()};
  std::uint64_t seed_ = pull_seed(app_->job.seed);
  Gather gather_{app_->job.shards};
  std::vector<PullEntry> entries_;  // of the round that is being pulled, or
  std::vector<PullRun> runs_;       // if it is open
  // By table: the rows and numbers of the last round, if it was open and its changes were wanted.  Where the next one
  // has the same rows, these are the numbers before it, and need not be copied.
  std::map<TableId, SparseRows> last_rounds_;
  bool busy_ = false;                    // a long pull or an evaluation runs
  std::optional<Evaluate> to_evaluate_;  // once what is expected is committed
  Expectation long_pulls_, evaluating_;
  bool shaped_ = false;  // the facts are in, and with them rows and pull
  CheckpointCollector collector_{settings_.index, settings_.credit, store_, own_};
  std::optional<CheckpointServer> server_;  // of a resumed job
};

}  // namespace rota
