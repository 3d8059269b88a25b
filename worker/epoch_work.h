// worker/epoch_work.h -- what a worker does between epochs: it evaluates its shards and slices, and saves them.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/status.h"
#include "core/runtime/node.h"
#include "worker/saving.h"
#include "worker/worker_state.h"

namespace rota {

class EpochWork {
 public:
  // `state` outlives it.
  explicit EpochWork(WorkerState& state) : state_(state) {}

  // ---- an evaluation: every slice visits every shard, if the app wishes that; then each shard is evaluated alone, and
  // has a share of the slices that are here, which stay meanwhile
  bool evaluates() const { return evaluation_.has_value(); }
  // REQUIRES !evaluates(), and that no shard has anything to do.
  void begin(const Evaluate& evaluate, Outbox& out);
  // Called on a compute thread; for different shards at once, for one shard one after the other.
  Status visit(ShardId shard, SliceId slice, const Slice& rows);
  // A visit has ended, and its slice is free.
  void visited(Outbox& out);

  // ---- a checkpoint
  bool saves() const { return saving_ != nullptr && !saving_->done(); }
  // REQUIRES !saves(), and that no shard has anything to do.
  void begin(const Save& save, Outbox& out);
  // Those of a checkpoint may come when the next one has begun.
  void on(const Stored& stored, Outbox& out);
  void tick(Outbox& out);

 private:
  // What a shard adds.
  struct Share {
    std::vector<double> terms;  // its visits' are added in their order
    std::vector<TermsOf> slices;
  };
  struct Evaluation {
    Epoch epoch = 0;
    std::size_t visits_left = 0, shards_left = 0;
    std::vector<Share> shares = {};  // by shard
  };
  using Slices = std::vector<std::pair<SliceId, HeldSlice*>>;

  void evaluate_shards(Outbox& out);
  Status evaluate(ShardId shard, const Slices& slices);
  void send_evaluated(Outbox& out);
  std::vector<double> no_terms() const { return std::vector<double>(state_.terms, 0.0); }

  WorkerState& state_;
  std::optional<Evaluation> evaluation_;
  std::unique_ptr<Saving> saving_;  // of the newest checkpoint
};

}  // namespace rota
