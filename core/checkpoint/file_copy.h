// core/checkpoint/file_copy.h -- follows a file of a checkpoint that comes chunk by chunk from another machine's disk.
// The receiver asks for every chunk, so it never has more in memory than it asked for; the content is not looked into.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/hashed_file.h"
#include "core/wire/message.h"

namespace rota {

// No CHUNK has more.
inline constexpr std::uint64_t kChunkBytesMost = std::uint64_t{1} << 20;

// Chunks are small and few, because messages between the same two processes wait for them: on a link of 20
// Mbit/s, less than half a second.
struct CopyLimits {
  std::uint64_t chunk = std::uint64_t{256} << 10;  // bytes; at most kChunkBytesMost
  std::uint32_t asked = 4;                         // chunks of a file that were asked for and are not stored yet
  std::uint32_t files = 64;                        // that the coordinator gets at once: so at most 64 MiB of all
};

// Whether the file has what is asked for, and that is not more than a chunk may be.
bool is_chunk_of(const AskChunk& ask, const HashedFile& file);

class FileCopy {
 public:
  FileCopy(HashedFile file, const CopyLimits& limits) : file_(std::move(file)), limits_(limits) {}

  const HashedFile& file() const { return file_; }
  // What is to be asked for now.
  std::vector<AskChunk> asks();
  // False if it was not asked for, or came before.
  bool take(const Chunk& chunk);
  // One that was taken is stored.
  void stored(const Chunk& chunk);
  // All is stored.
  bool complete() const { return next_ == file_.bytes && asked_.empty() && storing_.empty(); }

 private:
  HashedFile file_;
  CopyLimits limits_;
  std::uint64_t next_ = 0;                          // what is before it was asked for
  std::map<std::uint64_t, std::uint64_t> asked_;    // bytes, by where they begin
  std::map<std::uint64_t, std::uint64_t> storing_;  // the same
};

}  // namespace rota
