// core/checkpoint/copies.h -- files of checkpoints that go between the run's folder and the disks of partitions whose
// machines do not share it, chunk by chunk.  The receiver asks for every chunk, so it never has more in memory than it
// asked for.  The content is not looked into.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/checkpoint/chunk_files.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"

namespace rota {

// No CHUNK has more.
inline constexpr std::uint64_t kChunkBytesMost = std::uint64_t{1} << 20;

// Chunks are small and few, because messages between the same two processes wait for them: on a link of 20
// Mbit/s, less than half a second.
struct CopyLimits {
  std::uint64_t chunk = std::uint64_t{256} << 10;  // bytes; at most kChunkBytesMost
  std::uint32_t asked = 4;                         // chunks of a file that were asked for and are not stored yet
  std::uint32_t files = 64;                        // that are copied at once: so at most 64 MiB of all
};

// Whether the file has what is asked for, and that is not more than a chunk may be.
bool is_chunk_of(const AskChunk& ask, const HashedFile& file);

// What is asked for and stored of one file.
class FileCopy {
 public:
  FileCopy(HashedFile file, const CopyLimits& limits) : file_(std::move(file)), limits_(limits) {}

  const HashedFile& file() const { return file_; }
  std::vector<AskChunk> asks();
  // False if it was not asked for, or came before.
  bool take(const Chunk& chunk);
  // One that was taken is stored.
  void stored(const Chunk& chunk) { storing_.erase(chunk.at); }
  bool complete() const { return next_ == file_.bytes && asked_.empty() && storing_.empty(); }

 private:
  HashedFile file_;
  CopyLimits limits_;
  std::uint64_t next_ = 0;                          // what is before it was asked for
  std::map<std::uint64_t, std::uint64_t> asked_;    // bytes, by where they begin
  std::map<std::uint64_t, std::uint64_t> storing_;  // the same
};

class Copies {
 public:
  // Called when a copy is durable, or with what went wrong.  An error that it returns ends the process's part.
  using Done = std::function<Status(const Status& status, Outbox& out)>;

  Copies(std::shared_ptr<ChunkFiles> files, const CopyLimits& limits, Done done)
      : files_(std::move(files)), limits_(limits), done_(std::move(done)) {}

  // There is a folder for them.
  bool possible() const { return files_ != nullptr; }
  // Gets a file that `from` has.  REQUIRES possible(), and that no other file is being copied from it.
  void begin(NodeId from, HashedFile file, Outbox& out) {
    waiting_.emplace_back(from, std::move(file));
    begin_waiting(out);
  }
  // False if it was not asked for.
  bool add(NodeId from, const Chunk& chunk, Outbox& out);
  // Those that were begun are durable.
  bool complete() const { return copying_.empty() && waiting_.empty(); }

  // Reads and sends a part of a file.  REQUIRES possible() and is_chunk_of(ask, a file that `to` may have).
  void give(NodeId to, const AskChunk& ask, Outbox& out);

  // Something that refers to this is under way on the thread for files.
  bool busy() const { return works_ > 0; }

 private:
  // Does `work` on the thread for files, and then `end` with its outcome.
  template <typename Work, typename End>
  void start(Outbox& out, Work work, End end);
  static void ask(NodeId from, FileCopy& copy, Outbox& out);
  void begin_waiting(Outbox& out);
  void finish(NodeId from, const HashedFile& file, Outbox& out);

  std::shared_ptr<ChunkFiles> files_;
  CopyLimits limits_;
  Done done_;
  std::map<NodeId, FileCopy> copying_;                 // by where they come from
  std::deque<std::pair<NodeId, HashedFile>> waiting_;  // for others to be done
  std::size_t works_ = 0;
};

}  // namespace rota
