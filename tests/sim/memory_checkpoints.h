// tests/sim/memory_checkpoints.h -- checkpoints on the disks of a simulated cluster, by the steps that core/checkpoint
// takes on real ones.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/chunk_files.h"
#include "core/job/run_folder.h"
#include "core/records/records.h"
#include "tests/sim/volatile_disk.h"

namespace rota::sim {

// The content of a checkpoint file.
struct MemoryFile {
  std::map<std::pair<Object, std::uint64_t>, Bytes> objects;
  std::optional<Rows> rows;
};

// All files of a cluster that were ever written, by the hash of the unique bytes that represent each on a disk.
using MemoryContents = std::map<Hash128, MemoryFile>;

// The folder of checkpoints of a machine.
struct MemoryDisk : VolatileDisk {
  explicit MemoryDisk(std::shared_ptr<MemoryContents> all = std::make_shared<MemoryContents>(),
                      std::shared_ptr<DiskWork> work = std::make_shared<DiskWork>())
      : VolatileDisk(std::move(work)), contents(std::move(all)) {}

  bool has(const HashedFile& file) const {
    const Content* found = find(file.file);
    return found != nullptr && found->size() == file.bytes && hash128(std::span<const std::byte>(*found)) == file.hash;
  }

  std::shared_ptr<MemoryContents> contents;
};

inline std::string memory_folder(Epoch epoch) {
  return RunFolder{}.checkpoint(epoch).filename().string();
}
inline std::string memory_file(Epoch epoch, std::uint32_t partition, std::uint64_t era) {
  return memory_folder(epoch) + "/" + RunFolder::partition_file(partition, era);
}

// Files of a disk as runs of bytes.
class MemoryChunkFiles final : public ChunkFiles {
 public:
  explicit MemoryChunkFiles(std::shared_ptr<MemoryDisk> disk) : disk_(std::move(disk)) {
    unfinished_ = ".unfinished-" + std::to_string(disk_->new_number());
  }

  bool has(const HashedFile& file) override { return disk_->has(file); }
  Result<Bytes> read(const std::string& file, std::uint64_t at, std::uint64_t bytes) override {
    const auto* found = disk_->find(file);
    if (found == nullptr || at + bytes > found->size())
      return Status(ExitCode::disk, "there is no such part of " + file);
    const auto run = std::span(*found).subspan(at, bytes);
    return Bytes::from({run.begin(), run.end()});
  }
  Status write(const std::string& file, std::uint64_t at, const Bytes& bytes) override {
    ROTA_TRY(disk_->make_folder(VolatileDisk::folder_of(file)));
    return disk_->write(file + unfinished_, at, bytes.view());
  }
  Status finish(const HashedFile& file) override {
    const std::string from = file.file + unfinished_;
    disk_->sync(from);
    if (!disk_->has({from, file.bytes, file.hash})) {
      disk_->remove(from);
      return {ExitCode::disk, "what came of " + file.file + " is something else"};
    }
    disk_->rename(from, file.file);
    disk_->sync_folder(VolatileDisk::folder_of(file.file));
    return {};
  }
  void drop_before(std::uint32_t partition, Epoch epoch) override {
    for (const std::string& file : disk_->names())
      if (file < memory_folder(epoch) &&
          file.find("/partition-" + std::to_string(partition) + ".") != std::string::npos)
        disk_->remove(file);
  }

 private:
  std::shared_ptr<MemoryDisk> disk_;
  std::string unfinished_;
};

// As a process sees them, in one era of the run: it writes under names of its era, and reads the files of WELCOME, or
// otherwise its own.
class MemoryCheckpoints final : public CheckpointStore {
 public:
  explicit MemoryCheckpoints(std::shared_ptr<MemoryDisk> disk, std::uint64_t era = 1,
                             std::vector<HashedFile> files = {})
      : disk_(std::move(disk)), era_(era), files_(std::move(files)) {}

  std::shared_ptr<ObjectSpill> spill(Epoch, std::uint32_t) const override { return nullptr; }
  Result<FileHash> write(Epoch epoch, std::uint32_t partition, const CheckpointContent& content,
                         std::string& file) override {
    file = memory_file(epoch, partition, era_);
    MemoryFile stored;
    for (const Put& put : content.objects) stored.objects[{put.object, put.id}] = put.bytes;
    stored.rows = content.rows;
    // Of some length, and no two alike.
    const std::size_t number = disk_->contents->size() + 1;
    std::vector<std::byte> bytes(8 + number * 37 % 300);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(i < 8 ? number >> (8 * i) : number * 31 + i * i);
    const FileHash measured{bytes.size(), hash128(std::span<const std::byte>(bytes))};
    disk_->contents->emplace(measured.hash, std::move(stored));

    ROTA_TRY(disk_->make_folder(VolatileDisk::folder_of(file)));
    ROTA_TRY(disk_->write(file + ".unfinished", 0, bytes));
    disk_->sync(file + ".unfinished");
    disk_->rename(file + ".unfinished", file);
    disk_->sync_folder(VolatileDisk::folder_of(file));
    return measured;
  }
  Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) override {
    const MemoryFile* file = find(epoch, partition);
    if (file == nullptr) return {ExitCode::disk, "no such checkpoint"};
    rows = *file->rows;
    return {};
  }
  Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) override {
    const MemoryFile* file = find(epoch, partition);
    if (file == nullptr) return Status(ExitCode::disk, "no such checkpoint");
    const auto stored = file->objects.find({object, number});
    if (stored == file->objects.end()) return Status(ExitCode::disk, "an object is missing");
    return stored->second;
  }

 private:
  // Null, too, if it is not whole.
  const MemoryFile* find(Epoch epoch, std::uint32_t partition) const {
    const auto* bytes =
        disk_->find(partition < files_.size() ? files_[partition].file : memory_file(epoch, partition, era_));
    if (bytes == nullptr) return nullptr;
    const auto found = disk_->contents->find(hash128(std::span<const std::byte>(*bytes)));
    return found == disk_->contents->end() ? nullptr : &found->second;
  }

  std::shared_ptr<MemoryDisk> disk_;
  std::uint64_t era_;
  std::vector<HashedFile> files_;
};

}  // namespace rota::sim
