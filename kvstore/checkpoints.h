// kvstore/checkpoints.h -- a partition's files of checkpoints: where they are, how they are written, and how a resumed
// job gets what is in them.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/copies.h"
#include "core/rounds/rows.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "rota/types.h"

namespace rota {

// The disk of a partition whose machine does not share the run's folder.  What the partition writes is there, and the
// coordinator gets a copy; what it resumes from is there, or comes from the coordinator.
class OwnDisk {
 public:
  OwnDisk(std::uint32_t partition, std::shared_ptr<ChunkFiles> files, const CopyLimits& limits);
  OwnDisk(const OwnDisk&) = delete;  // work under way refers to it
  OwnDisk& operator=(const OwnDisk&) = delete;

  // Sees to it that the committed file is there, and calls `there`.
  void get(Epoch epoch, const HashedFile& file, Outbox& out, std::function<Status(Outbox&)> there);
  // ExitCode::bug if it was not asked for.
  Status take(const Chunk& chunk, Outbox& out) {
    return copies_.add(kCoordinator, chunk, out) ? Status() : Status(ExitCode::bug, "a CHUNK that was not asked for");
  }

  // This file is durable: the coordinator gets WRITTEN next.  Files older than the one before it are removed: that one
  // is committed, or this one would not have been asked for.
  void wrote(Epoch epoch, const HashedFile& file, Outbox& out);
  // The coordinator asks for a part of it.  ExitCode::bug if it is no part of such a file.
  Status give(const AskChunk& ask, Outbox& out);

 private:
  std::uint32_t partition_;
  std::shared_ptr<ChunkFiles> files_;
  Copies copies_;
  std::function<Status(Outbox&)> there_;
  std::optional<Epoch> newest_;        // that is here
  std::optional<HashedFile> written_;  // which the coordinator may ask for
};

// Collects what the files are made of, if it is much on disk, and writes them.
class CheckpointCollector {
 public:
  // `own` outlives this: the disk that the coordinator does not see, if the files are there.
  CheckpointCollector(std::uint32_t partition, const Credit& credit, std::shared_ptr<CheckpointStore> store,
                      std::optional<OwnDisk>& own)
      : partition_(partition), credit_(credit), store_(std::move(store)), own_(own) {}

  // The coordinator's SAVE: the rows as of the epoch's end, and how many objects belong to them.
  void begin(const Save& save, const Rows& rows);
  // An object, before or after that.  The file is written when all are here.
  void add(const Put& put, NodeId from, Outbox& out) {
    keep(put, from, out);
    write_if_whole(put.epoch, out);
  }

 private:
  // A checkpoint that is being collected.
  struct Collecting {
    bool asked = false;          // the coordinator's SAVE is in
    std::uint64_t expected = 0;  // objects
    std::uint64_t received = 0;
    std::vector<Put> objects;              // that are in memory
    std::uint64_t bytes = 0;               // of them
    std::shared_ptr<ObjectSpill> spilled;  // has the others; of the thread for files
    std::shared_ptr<const Rows> rows;      // as of the epoch's end
  };

  void keep(const Put& put, NodeId from, Outbox& out);
  void write_if_whole(Epoch epoch, Outbox& out);

  std::uint32_t partition_;
  Credit credit_;
  std::shared_ptr<CheckpointStore> store_;
  std::optional<OwnDisk>& own_;
  std::map<Epoch, Collecting> collecting_;
};

// Gives the processes of a resumed job what is theirs in a file: rows to all workers, objects to those that fetch them.
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
  void open(Outbox& out) {
    is_open_ = true;
    serve(out);
  }
  bool is_open() const { return is_open_; }
  // The rows are restored: they go to all workers, and READY follows.
  void send_rows(Outbox& out) {
    position_ = Position{};
    continue_rows(out);
  }
  void fetch(const Fetch& fetch, NodeId from, Outbox& out) {
    asked_.push_back({from, fetch});
    serve(out);
  }
  // Continues if credit allows it.
  void tick(Outbox& out) {
    continue_rows(out);
    serve(out);
  }

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
