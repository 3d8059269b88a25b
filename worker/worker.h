// worker/worker.h -- the node that hosts data shards.  It gives each message to the part that handles it: Preparation
// until READY, ShardExecutor in an epoch, EpochWork between two.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/node.h"
#include "worker/epoch_work.h"
#include "worker/preparation.h"
#include "worker/shard_executor.h"
#include "worker/worker_state.h"

namespace rota {

class Worker final : public Node {
 public:
  Worker(ShardHosts hosts, std::shared_ptr<const HostedApp> app, const Credit& credit = {})
      : state_(std::move(hosts), std::move(app), credit), preparation_(state_) {}
  // Of a run that begins a new era: with what an earlier worker of this process has prepared.
  Worker(ShardHosts hosts, Prepared prepared, const Credit& credit = {})
      : state_(std::move(hosts), prepared.shards.begin()->second.app, credit),
        preparation_(state_, std::move(prepared)) {}

  NodeId id() const override { return state_.id(); }
  Status step(const Envelope& in, Outbox& out) override;
  Status tick(Outbox& out) override {
    epoch_work_.tick(out);
    return {};
  }

  // What the next worker can use, whether the run continues after a checkpoint or starts again; nothing if all data has
  // to be read again.  This worker has no work under way, and is of no use afterwards.
  std::optional<Prepared> take_prepared(bool resumes) { return preparation_.take(resumes); }

  // The slices in this worker's hands now.
  std::vector<SliceId> slices_held() const { return state_.leases.held_ids(); }

 private:
  Status on(const Welcome& welcome, NodeId from, Outbox& out) { return preparation_.on(welcome, from, out); }
  Status on(const ReadAhead& plan, NodeId from, Outbox& out) { return preparation_.on(plan, from, out); }
  Status on(const JobFacts& facts, NodeId from, Outbox& out) { return preparation_.on(facts, from, out); }
  Status on(const CutMade& cut, NodeId from, Outbox& out) { return preparation_.on(cut, from, out); }
  Status on(const Fetched& fetched, NodeId from, Outbox& out) { return preparation_.on(fetched, from, out); }
  Status on(const Tasks& tasks, NodeId from, Outbox& out) { return execute(tasks, from, out); }
  Status on(const Lease& lease, NodeId from, Outbox& out) { return execute(lease, from, out); }
  Status on(const Scattered& message, NodeId from, Outbox& out) { return execute(message, from, out); }
  Status on(const Deltas& deltas, NodeId from, Outbox& out);
  Status on(const Evaluate& evaluate, NodeId from, Outbox& out);
  Status on(const Save& save, NodeId from, Outbox& out);
  Status on(const Stored& stored, NodeId from, Outbox& out);
  template <typename M>
  Status execute(const M& message, NodeId from, Outbox& out);

  WorkerState state_;
  Preparation preparation_;
  EpochWork epoch_work_{state_};
  ShardExecutor executor_{state_, epoch_work_};
};

// The worker of a new era.  It hosts what `welcome` says, with what the nodes `before` of this process can hand on; if
// that is nothing, with the app that `make_app` makes.
Result<std::unique_ptr<Worker>> next_worker(const Welcome& welcome, std::uint32_t shards,
                                            std::vector<std::unique_ptr<Node>> before,
                                            const std::function<Result<std::shared_ptr<const HostedApp>>()>& make_app,
                                            const Credit& credit = {});

}  // namespace rota
