// core/checkpoint/checkpoint_file.h -- one partition's share of a committed epoch: an immutable, sorted file of
// RocksDB's table format, with a checksum over every block.  The only door to RocksDB.
//
// Why not a live database: a checkpoint is written once and whole, so a file that is made durable and then named by the
// commit record needs no log to replay and cannot come back half; an epoch is dropped by unlinking.
//
// Keys: object (1 byte), table (4, big-endian; 0 unless a row), number (8, big-endian).  Values: what the object's
// owner wrote; a row's doubles, little-endian.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/status.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/rounds/rows.h"
#include "core/wire/message.h"

namespace rota {

// Writes, makes durable, and only then gives the file its name.  Folders must exist.
// Of the objects that were spilled one is in memory at a time.
Result<FileHash> write_checkpoint(const std::filesystem::path& path, const CheckpointContent& content);

// Reads one.  Every block that is read has its checksum checked; a damaged one is an error, never less data.
class CheckpointFile {
 public:
  static Result<std::unique_ptr<CheckpointFile>> open(const std::filesystem::path& path);
  ~CheckpointFile();

  Result<Bytes> get(Object object, std::uint64_t number) const;
  // The row's doubles; none if it was never committed.
  Result<std::vector<double>> row(TableId table, Key key) const;
  // All rows in the order of tables and keys; the doubles are valid during the call.
  Status for_each_row(const std::function<void(TableId, Key, std::span<const double>)>& f) const;

 private:
  struct Reader;
  explicit CheckpointFile(std::unique_ptr<Reader> reader);
  std::unique_ptr<Reader> reader_;
};

}  // namespace rota
