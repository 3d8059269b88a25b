// tests/sim/memory_checkpoints.h -- the disk of a simulated cluster: checkpoints and commit records that outlive its
// processes.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/records.h"
#include "kvstore/partition.h"

namespace rota::sim {

// The files of all checkpoints, by name.
struct MemoryDisk {
  struct File {
    std::map<std::pair<Object, std::uint64_t>, Bytes> objects;
    std::optional<Rows> rows;
  };
  std::map<std::string, File> files;
};

// As a process sees them, in one era of the run: it writes under names of its era, and reads those that it was told, or
// else its own.
class MemoryCheckpoints final : public CheckpointStore {
 public:
  explicit MemoryCheckpoints(std::shared_ptr<MemoryDisk> disk, std::uint64_t era = 1,
                             std::vector<std::string> files = {})
      : disk_(std::move(disk)), era_(era), files_(std::move(files)) {}

  std::shared_ptr<ObjectSpill> spill(Epoch, std::uint32_t) const override { return nullptr; }
  Result<FileHash> write(Epoch epoch, std::uint32_t partition, const CheckpointContent& content,
                         std::string& file) override {
    file = name_of(epoch, partition);
    MemoryDisk::File stored;
    for (const Put& put : content.objects) stored.objects[{put.object, put.id}] = put.bytes;
    stored.rows = content.rows;
    disk_->files[file] = std::move(stored);
    return FileHash{};
  }
  Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) override {
    const MemoryDisk::File* file = find(epoch, partition);
    if (file == nullptr) return {ExitCode::disk, "no such checkpoint"};
    rows = *file->rows;
    return {};
  }
  Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) override {
    const MemoryDisk::File* file = find(epoch, partition);
    if (file == nullptr) return Status(ExitCode::disk, "no such checkpoint");
    const auto stored = file->objects.find({object, number});
    if (stored == file->objects.end()) return Status(ExitCode::disk, "an object is missing");
    return stored->second;
  }

 private:
  std::string name_of(Epoch epoch, std::uint32_t partition) const {
    return std::to_string(epoch) + "/" + std::to_string(partition) + "-" + std::to_string(era_);
  }
  const MemoryDisk::File* find(Epoch epoch, std::uint32_t partition) const {
    const auto found = disk_->files.find(partition < files_.size() ? files_[partition] : name_of(epoch, partition));
    return found == disk_->files.end() ? nullptr : &found->second;
  }

  std::shared_ptr<MemoryDisk> disk_;
  std::uint64_t era_;
  std::vector<std::string> files_;
};

class MemoryRecorder final : public Recorder {
 public:
  // Of a coordinator that is started anew: with what was committed before.
  // `told`: hears of every event.
  MemoryRecorder(std::map<Epoch, CommitRecord> commits, std::function<void(const std::string&, const Fields&)> told)
      : commits_(std::move(commits)), told_(std::move(told)) {}

  void event(const std::string& name, const Fields& fields) override { told_(name, fields); }
  void epoch(const EpochRecord&) override {}
  std::string status(const std::string&, std::uint32_t) const override { return "{}"; }
  Status commit(const CommitRecord& record) override {
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
  std::optional<CommitRecord> published_;
};

}  // namespace rota::sim
