// core/checkpoint/chunk_files.h -- files of checkpoints as runs of bytes, in the folder of checkpoints of the run or of
// a machine that does not share it.  Their content is not looked into here.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "rota/bytes.h"
#include "rota/types.h"

namespace rota {

// Called on the thread for files.  Names are as in commit records, and the caller has checked them
// (RunFolder::is_partition_of).  Errors: as core/base/files.h has them.
class ChunkFiles {
 public:
  virtual ~ChunkFiles() = default;
  // Whether it is there, and what it must be.
  virtual bool has(const HashedFile& file) = 0;
  virtual Result<Bytes> read(const std::string& file, std::uint64_t at, std::uint64_t bytes) = 0;
  // Into a file that has not got its name yet; in any order.
  virtual Status write(const std::string& file, std::uint64_t at, const Bytes& bytes) = 0;
  // All was written: makes it durable and gives it its name.  ExitCode::disk if it is not what it must be.
  virtual Status finish(const HashedFile& file) = 0;
  // Removes the partition's files of the epochs before this one, on a disk where only the newest are of use.
  virtual void drop_before(std::uint32_t partition, Epoch epoch) = 0;
};

// In RUN/checkpoint.
std::shared_ptr<ChunkFiles> disk_chunk_files(const std::filesystem::path& run);

}  // namespace rota
