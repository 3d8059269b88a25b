// kvstore/checkpoint_collector.h -- collects what a partition's files of checkpoints are made of, if it is much on
// disk, and writes them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint_store.h"
#include "core/rounds/rows.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"
#include "kvstore/own_disk.h"

namespace rota {

class CheckpointCollector {
 public:
  // `own` outlives this: the disk that the coordinator does not see, if the files are there.
  CheckpointCollector(std::uint32_t partition, const Credit& credit, std::shared_ptr<CheckpointStore> store,
                      std::optional<OwnDisk>& own)
      : partition_(partition), credit_(credit), store_(std::move(store)), own_(own) {}

  // The coordinator's SAVE: the rows as of the epoch's end, and how many objects belong to them.
  void begin(const Save& save, const Rows& rows);
  // An object, before or after that.  The file is written when all are here.
  void add(const Put& put, NodeId from, Outbox& out);

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

}  // namespace rota
