// worker/epoch_work.h -- what a worker does between epochs: it evaluates its shards and slices, and saves them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/placement.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "worker/epoch_tally.h"
#include "worker/worker_state.h"

namespace rota {

// Makes this worker's objects of a checkpoint into bytes and puts them, few at a time: at most what credit allows is
// encoded, on its way to a partition's process, or there and not stored yet.
class Saving {
 public:
  struct Piece {
    Object object = Object::shard;
    std::uint64_t id = 0;
    std::function<Result<Bytes>()> encode;  // called on a compute thread
  };
  struct Limits {
    std::uint32_t partitions = 1;
    std::uint32_t at_once = 1;  // encodings
    Credit credit = {};
    std::uint64_t unstored = std::uint64_t{64} << 20;  // bytes in all partitions; one object alone may be larger
  };

  Saving(Epoch epoch, std::vector<Piece> pieces, const Limits& limits);

  // Starts what may be started now; call it in every tick.  SAVED follows the last PUT.  This object outlives what
  // it started.
  void go_on(Outbox& out) { go_on(out, {}, 0); }
  bool done() const { return left_ == 0; }
  // A partition has stored what it was put.
  void stored(const Stored& stored, Outbox& out) {
    if (stored.epoch != epoch_) return;
    unstored_ -= std::min(unstored_, stored.bytes);
    go_on(out);
  }

 private:
  // `bytes` were sent to `last` in this step.
  void go_on(Outbox& out, NodeId last, std::uint64_t bytes);
  void start(Piece piece, Outbox& out);
  std::uint32_t partition_of(std::uint64_t id) const { return partition_of_object(id, limits_.partitions); }

  Epoch epoch_;
  Limits limits_;
  std::list<Piece> todo_;
  std::uint64_t unstored_ = 0;  // bytes that were put and that no partition has stored
  std::size_t left_ = 0;        // not put yet
  std::size_t encoding_ = 0;    // of them, with the compute threads
  // The largest so far.  How large the first is is not known before it is there, so it is alone.
  std::optional<std::uint64_t> largest_;
};

class EpochWork {
 public:
  // `state` outlives it.
  explicit EpochWork(WorkerState& state) : state_(state) {}

  // ---- an evaluation: every slice visits every shard, if the app requests that; then each shard is evaluated alone,
  // and has a share of the slices that are here, which stay meanwhile
  bool evaluates() const { return evaluation_.has_value(); }
  // REQUIRES !evaluates(), and that no shard has anything to do.
  void begin(const Evaluate& evaluate, Outbox& out);
  // The same once no shard has anything to do, which begin_awaiting() then says.
  void begin_later(const Evaluate& evaluate) { awaiting_ = evaluate; }
  bool awaits() const { return awaiting_.has_value(); }
  void begin_awaiting(Outbox& out) { begin(*std::exchange(awaiting_, std::nullopt), out); }
  // Called on a compute thread; for different shards at once, for one shard one after the other.
  Status visit(ShardId shard, SliceId slice, const Slice& rows);
  // A visit has ended, and its slice is free.
  void visited(Outbox& out) {
    if (--evaluation_->visits_left == 0) evaluate_shards(out);
  }

  // ---- a checkpoint
  bool saves() const { return saving_ != nullptr && !saving_->done(); }
  // REQUIRES !saves(), and that no shard has anything to do.
  void begin(const Save& save, Outbox& out);
  // Those of a checkpoint may come when the next one has begun.
  void on(const Stored& stored, Outbox& out) {
    if (saving_ != nullptr) saving_->stored(stored, out);
  }
  void tick(Outbox& out) {
    if (saving_ != nullptr) saving_->go_on(out);
  }

 private:
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
  Result<Nanoseconds> evaluate(ShardId shard, const Slices& slices);  // how long it took
  void send_evaluated(Outbox& out);
  std::vector<double> no_terms() const { return std::vector<double>(state_.terms.size(), 0.0); }

  WorkerState& state_;
  std::optional<Evaluation> evaluation_;
  std::optional<Evaluate> awaiting_;  // the end of its epoch here
  Expectation evaluating_;            // of a shard
  std::unique_ptr<Saving> saving_;    // of the newest checkpoint
};

}  // namespace rota
