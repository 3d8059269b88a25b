// core/checkpoint/checkpoint_store.h -- where partitions keep what is committed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/checkpoint/object_spill.h"
#include "core/rounds/rows.h"
#include "core/wire/message.h"
#include "rota/bytes.h"

namespace rota {

// What a partition has of an epoch.
struct CheckpointContent {
  std::span<const Put> objects;
  const Rows& rows;
  const ObjectSpill* spilled = nullptr;  // further objects
};

// Where a partition keeps its files: the disk in production, memory in simulations.  Called from the thread for files.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // Where objects wait for the others of their checkpoint, if they are too much to be kept in memory.  None: they are
  // kept nevertheless.  Called from any thread.
  virtual std::shared_ptr<ObjectSpill> spill(Epoch epoch, std::uint32_t partition) const = 0;
  // Makes a partition's share of an epoch durable.  `file` is set to its name within the folder of checkpoints.
  virtual Result<FileHash> write(Epoch epoch, std::uint32_t partition, const CheckpointContent& content,
                                 std::string& file) = 0;
  virtual Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) = 0;
  virtual Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) = 0;
};

// In the run's folder: RUN/checkpoint/epoch-N/partition-P.era-E.sst.  `era` goes into the names of the files that are
// written; `files` are those of the epoch to resume, by partition, as the commit record names them.
std::shared_ptr<CheckpointStore> disk_checkpoints(const std::filesystem::path& run, std::uint64_t era,
                                                  std::vector<HashedFile> files);

}  // namespace rota
