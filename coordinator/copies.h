// coordinator/copies.h -- files of checkpoints that go between the run's folder and the disks of partitions whose
// machines do not share it: copies of what those write, and what those lack when the run is resumed.  They pass through
// as they are: the coordinator does not look into them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "core/base/hashed_file.h"
#include "core/checkpoint/chunk_files.h"
#include "core/checkpoint/file_copy.h"
#include "core/runtime/node.h"

namespace rota {

class Copies {
 public:
  // Called when a copy is durable, or with what went wrong.
  using Done = std::function<void(const Status& status, Outbox& out)>;

  Copies(std::shared_ptr<ChunkFiles> files, const CopyLimits& limits, Done done)
      : files_(std::move(files)), limits_(limits), done_(std::move(done)) {}

  // There is a folder for them.
  bool possible() const { return files_ != nullptr; }
  // Gets the file that a partition has written.  REQUIRES possible(), and that it is not getting one of its already.
  void begin(std::uint32_t partition, HashedFile file, Outbox& out);
  // False if it was not asked for.
  bool add(std::uint32_t partition, const Chunk& chunk, Outbox& out);
  // Those that were begun are durable.
  bool complete() const { return copying_.empty() && waiting_.empty(); }

  // Reads for a partition what it lacks.  REQUIRES possible() and is_chunk_of(ask, a file of the commit).
  void give(NodeId to, const AskChunk& ask, Outbox& out);

  // Something that refers to this is under way on the thread for files.
  bool busy() const { return works_ > 0; }

 private:
  void ask(std::uint32_t partition, FileCopy& copy, Outbox& out);
  void begin_waiting(Outbox& out);
  void finish(std::uint32_t partition, const HashedFile& file, Outbox& out);

  std::shared_ptr<ChunkFiles> files_;
  CopyLimits limits_;
  Done done_;
  std::map<std::uint32_t, FileCopy> copying_;                 // by partition
  std::deque<std::pair<std::uint32_t, HashedFile>> waiting_;  // for others to be done
  std::size_t works_ = 0;
};

}  // namespace rota
