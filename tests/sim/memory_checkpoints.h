// tests/sim/memory_checkpoints.h -- the disk of a simulated cluster: checkpoints and commit records that outlive its
// processes.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/records.h"
#include "kvstore/partition.h"

namespace rota::sim {

class MemoryCheckpoints final : public CheckpointStore {
 public:
  std::shared_ptr<ObjectSpill> spill(Epoch, std::uint32_t) const override { return nullptr; }
  Result<FileHash> write(Epoch epoch, std::uint32_t partition, const CheckpointContent& content,
                         std::string& file) override {
    file = std::to_string(epoch) + "/" + std::to_string(partition);
    auto& stored = files_[{epoch, partition}];
    stored.objects.clear();
    for (const Put& put : content.objects) stored.objects[{put.object, put.id}] = put.bytes;
    stored.rows = content.rows;
    return FileHash{};
  }
  Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) override {
    const auto found = files_.find({epoch, partition});
    if (found == files_.end()) return {ExitCode::disk, "no such checkpoint"};
    rows = *found->second.rows;
    return {};
  }
  Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) override {
    const auto found = files_.find({epoch, partition});
    if (found == files_.end()) return Status(ExitCode::disk, "no such checkpoint");
    const auto stored = found->second.objects.find({object, number});
    if (stored == found->second.objects.end()) return Status(ExitCode::disk, "an object is missing");
    return stored->second;
  }

 private:
  struct Stored {
    std::map<std::pair<Object, std::uint64_t>, Bytes> objects;
    std::optional<Rows> rows;
  };
  std::map<std::pair<Epoch, std::uint32_t>, Stored> files_;
};

class MemoryRecorder final : public Recorder {
 public:
  // Of a cluster's next life: with what the one before it committed.
  MemoryRecorder() = default;
  explicit MemoryRecorder(std::map<Epoch, CommitRecord> commits) : commits_(std::move(commits)) {}

  void event(const std::string&, const Fields&) override {}
  void epoch(const EpochRecord&) override {}
  std::string status(const std::string&) const override { return "{}"; }
  Status commit(const CommitRecord& record) override {
    commits_[record.epoch] = record;
    return {};
  }
  Status finish(const RunResult& result) override {
    published_ = result.commit;
    return {};
  }

  const std::map<Epoch, CommitRecord>& commits() const { return commits_; }
  // The job's model.
  const std::optional<CommitRecord>& published() const { return published_; }

 private:
  std::map<Epoch, CommitRecord> commits_;
  std::optional<CommitRecord> published_;
};

}  // namespace rota::sim
