// core/checkpoint/checkpoint_store.h -- where partitions keep what is committed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/status.h"
#include "core/rounds/rows.h"
#include "core/wire/message.h"
#include "rota/bytes.h"

namespace rota {

// Where a partition keeps its files: the disk in production, memory in simulations.  Called from the thread for files.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // Makes a partition's share of an epoch durable.  `file` is set to its name within the folder of checkpoints.
  virtual Result<FileHash> write(Epoch epoch, std::uint32_t partition, const std::vector<Put>& objects,
                                 const Rows& rows, std::string& file) = 0;
  virtual Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) = 0;
  virtual Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) = 0;
};

}  // namespace rota
