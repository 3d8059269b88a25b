// tests/sim/memory_recorder.h -- the records of a simulated run: commit records are files on the coordinator's disk,
// made durable and dropped by the steps of core/records/run_recorder.cc, and found again by those of newest_commit.cc.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/records/json_records.h"
#include "core/records/records.h"
#include "tests/sim/memory_checkpoints.h"

namespace rota::sim {

inline std::string memory_record(Epoch epoch) {
  return memory_folder(epoch) + "/" + RunFolder::kCommitRecord;
}

// The record in a folder, if it and all that it names are there.
inline std::optional<CommitRecord> memory_commit(const MemoryDisk& disk, const std::string& folder) {
  const auto* bytes = disk.find(folder + "/" + RunFolder::kCommitRecord);
  if (bytes == nullptr) return {};
  auto record = commit_from_text({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!record.ok()) return {};
  for (const HashedFile& file : record->files)
    if (!disk.has(file)) return {};
  return *std::move(record);
}

// The newest epoch that a run can continue from: with its best, if it has one.
inline std::optional<CommitRecord> newest_memory_commit(const MemoryDisk& disk) {
  const std::vector<std::string> names = disk.names();  // in order
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!name->ends_with(RunFolder::kCommitRecord)) continue;
    auto record = memory_commit(disk, VolatileDisk::folder_of(*name));
    if (!record) continue;
    const auto& best = record->record.best;
    if (!best || memory_commit(disk, memory_folder(best->epoch))) return record;
  }
  return {};
}

class MemoryRecorder final : public Recorder {
 public:
  struct Observer {
    std::function<void(const std::string&, const Fields&)> event = [](const auto&, const auto&) {};
    std::function<void(const CommitRecord&)> commit = [](const auto&) {};  // it is durable
    std::function<void(const EpochRecord&)> epoch = [](const auto&) {};
    std::function<void(const std::string&)> broken = [](const std::string&) {};  // a law
  };

  // Of a coordinator that continues from `newest`.  `disk`: the run's folder, where all committed files must be; null:
  // not checked.
  MemoryRecorder(std::optional<CommitRecord> newest, Observer observer, std::shared_ptr<MemoryDisk> disk = nullptr)
      : newest_(std::move(newest)), observer_(std::move(observer)), disk_(std::move(disk)) {
    if (newest_) kept_.insert(newest_->epoch);
  }

  void event(const std::string& name, const Fields& fields) override { observer_.event(name, fields); }
  void epoch(const EpochRecord& record) override { observer_.epoch(record); }
  std::string status(const std::string&, std::uint32_t) const override { return "{}"; }
  Status commit(const CommitRecord& record) override {
    if (disk_ != nullptr) ROTA_TRY(write(record));
    newest_ = record;
    observer_.commit(record);
    if (disk_ != nullptr) drop_old(record);
    return {};
  }
  Status roll_back(std::optional<Epoch>) override { return {}; }
  Status finish(const RunResult& result) override {
    if (disk_ != nullptr) {
      for (const HashedFile& file : result.commit.files)
        if (!is_durable(file)) observer_.broken("a file of the model would be lost: " + file.file);
      const std::string text = commit_to_text(result.commit);
      ROTA_TRY(disk_->write_atomically("model.json", std::as_bytes(std::span(text))));
    }
    published_ = result.commit;
    return {};
  }

  // That was committed last.
  const std::optional<CommitRecord>& newest() const { return newest_; }
  // The job's model.
  const std::optional<CommitRecord>& published() const { return published_; }

 private:
  bool is_durable(const HashedFile& file) const {
    const auto* bytes = disk_->find(file.file);
    return bytes != nullptr && disk_->has(file) && disk_->keeps(file.file, *bytes, false);
  }
  Status write(const CommitRecord& record) {
    for (const HashedFile& file : record.files) {
      const auto* bytes = disk_->find(file.file);
      if (bytes == nullptr || bytes->size() != file.bytes)
        return {ExitCode::disk, file.file + " is committed, and is not here"};
      if (!is_durable(file)) observer_.broken(file.file + " is committed, and a cut of power would lose it");
    }
    const std::string text = commit_to_text(record);
    ROTA_TRY(disk_->write_atomically(memory_record(record.epoch), std::as_bytes(std::span(text))));
    disk_->sync_folder("");
    if (!disk_->keeps(memory_record(record.epoch), std::as_bytes(std::span(text)), true))
      observer_.broken("a cut of power would lose the record of epoch " + std::to_string(record.epoch));
    return {};
  }
  void drop_old(const CommitRecord& record) {
    kept_.insert(record.epoch);
    while (kept_.size() > 2) kept_.erase(kept_.begin());
    for (Epoch old = 1; old < record.epoch; ++old) {
      const auto& best = record.record.best;
      if (kept_.contains(old) || (best && best->epoch == old)) continue;
      disk_->remove(memory_record(old));
      for (const std::string& file : disk_->names())
        if (VolatileDisk::folder_of(file) == memory_folder(old)) disk_->remove(file);
    }
  }

  std::optional<CommitRecord> newest_;
  Observer observer_;
  std::shared_ptr<MemoryDisk> disk_;
  std::set<Epoch> kept_;
  std::optional<CommitRecord> published_;
};

}  // namespace rota::sim
