// kvstore/checkpoint_server.h -- gives the processes of a resumed job what is theirs in a partition's file of the
// checkpoint: rows to all workers, objects to those that fetch them.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint_store.h"
#include "core/rounds/rows.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"

namespace rota {

class CheckpointServer {
 public:
  // `rows` outlives this.
  CheckpointServer(Epoch epoch, std::uint32_t partition, const Credit& credit, std::vector<NodeId> workers,
                   const Rows& rows, std::shared_ptr<CheckpointStore> store)
      : epoch_(epoch),
        partition_(partition),
        credit_(credit),
        workers_(std::move(workers)),
        rows_(rows),
        store_(std::move(store)) {}

  Epoch epoch() const { return epoch_; }
  // The file is here: objects may be read.
  void open(Outbox& out);
  bool is_open() const { return is_open_; }
  // The rows are restored: they go to all workers, and READY follows.
  void send_rows(Outbox& out);
  void fetch(const Fetch& fetch, NodeId from, Outbox& out);
  // Continues if credit allows it.
  void tick(Outbox& out);

 private:
  // How far the rows were sent.
  struct Position {
    TableId table = 0;
    std::optional<Key> after;
  };
  struct Asked {
    NodeId by;
    Fetch what;
  };

  void continue_rows(Outbox& out);
  std::optional<Deltas> next_rows();
  void serve(Outbox& out, NodeId last = {}, std::uint64_t bytes = 0);

  Epoch epoch_;
  std::uint32_t partition_;
  Credit credit_;
  std::vector<NodeId> workers_;
  const Rows& rows_;
  std::shared_ptr<CheckpointStore> store_;
  bool is_open_ = false;
  std::optional<Position> position_;
  std::deque<Asked> asked_;  // FETCHes that were not served yet
  bool reading_ = false;     // the object that one of them asked for
};

}  // namespace rota
