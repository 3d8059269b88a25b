// worker/preparation.h -- a worker from WELCOME to READY: it reads its shards' data and attaches them to what the job's
// data is as a whole; and what it reads ahead for the next era.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/runtime/node.h"
#include "core/wire/message.h"
#include "worker/input_reading.h"
#include "worker/worker_state.h"

namespace rota {

// What a resumed worker gets from the checkpoint: the shared rows, which the partitions send by themselves, and what it
// fetches for its shards and slices.  It fetches few objects at a time, so that the next is here when a thread is free,
// and the memory holds few at a time.
class Restoring {
 public:
  // `state` outlives it.
  explicit Restoring(WorkerState& state) : state_(state) {}

  // A partition may have its facts, and send its rows, before this worker has its own: they wait.
  Status on(const Deltas& rows, NodeId from, Outbox& out);
  // The facts are in.
  Status tables_made();
  // All shards are attached: fetches what they had.  READY follows when all of it, and all rows, are restored.
  void begin(Outbox& out);
  Status on(const Fetched& fetched, NodeId from, Outbox& out);

 private:
  Status restore(const Deltas& rows);
  Status check_common(const Bytes& saved) const;
  void restore(ShardId shard, const Bytes& saved, Outbox& out);
  void ask(Outbox& out);
  void restored(Outbox& out) {
    --asked_;
    ask(out);
    send_ready_if_all(out);
  }
  void send_ready_if_all(Outbox& out);

  WorkerState& state_;
  bool has_tables_ = false, begun_ = false;
  std::vector<Deltas> early_;   // rows that came before the facts
  std::deque<Fetch> to_fetch_;  // and not asked for
  std::size_t asked_ = 0;       // for objects that are not restored
};

// What a worker has made of its data.  It outlives the worker at a rollback, or when shards move, so that
// nothing is read again.
struct Prepared {
  std::map<ShardId, ReadShard> shards;  // at least one
  std::unique_ptr<Attached> attached;   // there if one of them is
  Contents contents;                    // of the input, as far as it was read
};

class Preparation {
 public:
  // `state` outlives it.
  explicit Preparation(WorkerState& state) : state_(state), reading_(state.id().name()), restoring_(state) {}
  Preparation(WorkerState& state, Prepared prepared);

  // All shards are attached, so that tasks may come.
  bool done() const { return done_; }
  // Worker::take_prepared().
  std::optional<Prepared> take(bool resumes);

  Status on(const Welcome& welcome, NodeId from, Outbox& out);
  Status on(const ReadAhead& plan, NodeId from, Outbox& out);
  Status on(const JobFacts& facts, NodeId from, Outbox& out);
  Status on(const CutMade& cut, NodeId from, Outbox& out);
  // Rows as of the checkpoint.
  Status on(const Deltas& rows, NodeId from, Outbox& out) { return restoring_.on(rows, from, out); }
  Status on(const Fetched& fetched, NodeId from, Outbox& out) { return restoring_.on(fetched, from, out); }

 private:
  // Of what is hosted from the next era on.
  struct Plan {
    std::uint64_t number = 0;
    ShardHosts::Shards shards;
  };

  Status read(std::vector<ShardId> wanted, Outbox& out, Status (Preparation::*then)(Outbox&));
  Status adopt_and_report(Outbox& out);
  Status read_ahead(Outbox& out);
  Status set_starting_rows();
  void attach(ShardId shard, Outbox& out);
  Status begin_slices();
  void all_attached(Outbox& out);

  WorkerState& state_;
  InputReading reading_;
  bool app_has_read_ = false;          // the state's app; for more there is another one
  std::map<ShardId, ReadShard> read_;  // and not hosted, or not yet
  std::optional<Plan> plan_;           // that is not fulfilled yet
  bool has_facts_ = false;
  bool reuses_attached_ = false;  // shards that were attached before
  bool resumes_ = false;          // from a checkpoint
  bool done_ = false;
  std::size_t attaching_ = 0;  // shards that are being attached
  Restoring restoring_;
};

}  // namespace rota
