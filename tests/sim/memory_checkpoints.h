// tests/sim/memory_checkpoints.h -- the disk of a simulated cluster: checkpoints and commit records that outlive its
// processes.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/checkpoint/chunk_files.h"
#include "core/job/run_folder.h"
#include "core/records/records.h"
#include "kvstore/partition.h"

namespace rota::sim {

// A file, and bytes that stand for it where it goes from disk to disk: all that have the same bytes are the same file.
struct MemoryFile {
  std::map<std::pair<Object, std::uint64_t>, Bytes> objects;
  std::optional<Rows> rows;
  Bytes bytes;
};

// All files of a cluster that were ever written, by the hash of their bytes.
using MemoryContents = std::map<Hash128, MemoryFile>;

// The files of checkpoints on a disk, by name.
struct MemoryDisk {
  explicit MemoryDisk(std::shared_ptr<MemoryContents> all = std::make_shared<MemoryContents>())
      : contents(std::move(all)) {}

  std::map<std::string, MemoryFile> files;
  std::map<std::string, std::vector<std::byte>> unfinished;
  std::shared_ptr<MemoryContents> contents;
};

inline std::string memory_file(Epoch epoch, std::uint32_t partition, std::uint64_t era) {
  return (RunFolder{}.checkpoint(epoch).filename() / RunFolder::partition_file(partition, era)).string();
}

// Files of a disk as runs of bytes.
class MemoryChunkFiles final : public ChunkFiles {
 public:
  explicit MemoryChunkFiles(std::shared_ptr<MemoryDisk> disk) : disk_(std::move(disk)) {}

  bool has(const HashedFile& file) override {
    const auto found = disk_->files.find(file.file);
    return found != disk_->files.end() && found->second.bytes.size() == file.bytes &&
           hash128(found->second.bytes.view()) == file.hash;
  }
  Result<Bytes> read(const std::string& file, std::uint64_t at, std::uint64_t bytes) override {
    const auto found = disk_->files.find(file);
    if (found == disk_->files.end()) return Status(ExitCode::disk, "there is no " + file);
    const auto run = found->second.bytes.view().subspan(at, bytes);
    return Bytes::from({run.begin(), run.end()});
  }
  Status write(const std::string& file, std::uint64_t at, const Bytes& bytes) override {
    auto& all = disk_->unfinished[file];
    all.resize(std::max<std::size_t>(all.size(), at + bytes.size()));
    std::copy(bytes.view().begin(), bytes.view().end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  Status finish(const HashedFile& file) override {
    const Hash128 hash = hash128(std::span<const std::byte>(disk_->unfinished[file.file]));
    if (hash != file.hash) return {ExitCode::disk, "what came of " + file.file + " is something else"};
    disk_->files[file.file] = disk_->contents->at(hash);
    disk_->unfinished.erase(file.file);
    return {};
  }
  void drop_before(std::uint32_t partition, Epoch epoch) override {
    std::erase_if(disk_->files, [&](const auto& file) {
      return file.first < RunFolder{}.checkpoint(epoch).filename().string() &&
             file.first.find("/partition-" + std::to_string(partition) + ".") != std::string::npos;
    });
  }

 private:
  std::shared_ptr<MemoryDisk> disk_;
};

// As a process sees them, in one era of the run: it writes under names of its era, and reads those that it was told, or
// else its own.
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
    stored.bytes = Bytes::from(std::move(bytes));
    const FileHash measured{stored.bytes.size(), hash128(stored.bytes.view())};
    disk_->contents->emplace(measured.hash, stored);
    disk_->files[file] = std::move(stored);
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
  const MemoryFile* find(Epoch epoch, std::uint32_t partition) const {
    const auto found =
        disk_->files.find(partition < files_.size() ? files_[partition].file : memory_file(epoch, partition, era_));
    return found == disk_->files.end() ? nullptr : &found->second;
  }

  std::shared_ptr<MemoryDisk> disk_;
  std::uint64_t era_;
  std::vector<HashedFile> files_;
};

class MemoryRecorder final : public Recorder {
 public:
  // Of a coordinator that is started anew: with what was committed before.
  // `told`: hears of every event.  `disk`: the run's folder, where all that is committed must be; none: it is not
  // looked at.
  MemoryRecorder(std::map<Epoch, CommitRecord> commits, std::function<void(const std::string&, const Fields&)> told,
                 std::shared_ptr<MemoryDisk> disk = nullptr)
      : commits_(std::move(commits)), told_(std::move(told)), disk_(std::move(disk)) {}

  void event(const std::string& name, const Fields& fields) override { told_(name, fields); }
  void epoch(const EpochRecord&) override {}
  std::string status(const std::string&, std::uint32_t) const override { return "{}"; }
  Status commit(const CommitRecord& record) override {
    if (disk_ != nullptr)
      for (const HashedFile& file : record.files)
        if (!MemoryChunkFiles(disk_).has(file)) return {ExitCode::disk, file.file + " is committed, and is not here"};
    commits_[record.epoch] = record;
    return {};
  }
  Status go_back(std::optional<Epoch>) override { return {}; }
  Status finish(const RunResult& result) override {
    published_ = result.commit;
    return {};
  }

  const std::map<Epoch, CommitRecord>& commits() const { return commits_; }
  // The job's model.
  const std::optional<CommitRecord>& published() const { return published_; }

 private:
  std::map<Epoch, CommitRecord> commits_;
  std::function<void(const std::string&, const Fields&)> told_;
  std::shared_ptr<MemoryDisk> disk_;
  std::optional<CommitRecord> published_;
};

}  // namespace rota::sim
