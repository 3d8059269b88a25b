// core/checkpoint/checkpoint_store.h -- where partitions keep what is committed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/rounds/rows.h"
#include "core/wire/message.h"
#include "rota/bytes.h"

namespace rota {

// Used on the thread for files.
// Objects of a checkpoint that is not whole yet, on disk: a partition keeps in memory only what is little.  The file
// has no name, so that nothing is left of it, however the process ends; and it need not survive anything: what counts
// is the file that is made of it.
class ObjectSpill {
 public:
  // `file` is that of the checkpoint: this one is made beside it.  Its folder is made if need be.
  explicit ObjectSpill(std::filesystem::path file) : file_(std::move(file)) {}

  Status add(const Put& put);
  std::size_t size() const { return places_.size(); }
  ObjectHash object(std::size_t i) const { return places_[i].what; }
  // ExitCode::disk, too, if it is not what was added.
  Result<Put> read(std::size_t i) const;

 private:
  struct Place {
    Epoch epoch;
    ObjectHash what;
    std::uint64_t at, bytes;
  };
  Status open();

  std::filesystem::path file_;
  FileDescriptor fd_;
  std::uint64_t end_ = 0;
  std::vector<Place> places_;
};

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
