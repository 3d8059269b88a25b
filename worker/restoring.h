// worker/restoring.h -- gives the shards and slices of a resumed worker what the checkpoint has of them.
#pragma once
#include <cstddef>
#include <deque>
#include <vector>

#include "core/runtime/node.h"
#include "core/wire/message.h"
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
  void restored(Outbox& out);
  void send_ready_if_all(Outbox& out);

  WorkerState& state_;
  bool has_tables_ = false, begun_ = false;
  std::vector<Deltas> early_;   // rows that came before the facts
  std::deque<Fetch> to_fetch_;  // and not asked for
  std::size_t asked_ = 0;       // for objects that are not restored
};

}  // namespace rota
