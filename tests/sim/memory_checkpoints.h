// tests/sim/memory_checkpoints.h -- checkpoints and commit records on the disks of a simulated cluster, which outlive
// its processes.
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
#include "tests/sim/memory_disk.h"

namespace rota::sim {

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
    if (disk_->is_full && disk_->is_full()) return no_space();
    auto& all = disk_->unfinished[file];
    all.resize(std::max<std::size_t>(all.size(), at + bytes.size()));
    std::copy(bytes.view().begin(), bytes.view().end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  Status finish(const HashedFile& file) override {
    const Hash128 hash = hash128(std::span<const std::byte>(disk_->unfinished[file.file]));
    if (hash != file.hash) return {ExitCode::disk, "what came of " + file.file + " is something else"};
    disk_->put(file.file, disk_->contents->at(hash));
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
    if (disk_->is_full && disk_->is_full()) return no_space();
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
    disk_->put(file, std::move(stored));
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

// The records of a run: one is there when it is written, for certain when that work has ended, and then those of older
// epochs go, with their files.
class MemoryRecorder final : public Recorder {
 public:
  // Of a coordinator that is started anew: with what was committed before.
  // `told`: hears of every event.  `disk`: the run's folder, where all that is committed must be; none: it is not
  // looked at.
  MemoryRecorder(std::map<Epoch, CommitRecord> commits, std::function<void(const std::string&, const Fields&)> told,
                 std::shared_ptr<MemoryDisk> disk = nullptr)
      : commits_(std::move(commits)), told_(std::move(told)), disk_(std::move(disk)) {
    if (!commits_.empty()) kept_.insert(commits_.rbegin()->first);
  }

  void event(const std::string& name, const Fields& fields) override { told_(name, fields); }
  void epoch(const EpochRecord&) override {}
  std::string status(const std::string&, std::uint32_t) const override { return "{}"; }
  Status commit(const CommitRecord& record) override {
    for (const HashedFile& file : record.files)
      if (!is_durable(file)) return {ExitCode::bug, file.file + " is committed, and is not safe"};
    if (disk_ != nullptr && disk_->is_full && disk_->is_full()) return no_space();
    const auto before = commits_.find(record.epoch);
    unsynced_ = {record.epoch, before == commits_.end() ? std::nullopt : std::optional(before->second)};
    commits_[record.epoch] = record;
    told_of_ = false;
    return {};
  }
  Status go_back(std::optional<Epoch>) override { return {}; }
  Status finish(const RunResult& result) override {
    published_ = result.commit;
    return {};
  }

  // Its newest record is synced by a call of this.
  std::function<void()> written() {
    const bool is_new = unsynced_ && !std::exchange(told_of_, true);
    return is_new ? std::function<void()>([this] { synced(); }) : [] {};
  }
  // What the one before it had not synced is no safer for it.
  void inherit(const MemoryRecorder& before) {
    unsynced_ = before.unsynced_;
    told_of_ = true;
    safe_ = before.safe_;
  }
  // A record that was not synced is there, or that of before is.
  void cut_power(std::mt19937_64& random) {
    if (!unsynced_ || random() % 2 == 0) return;
    commits_.erase(unsynced_->first);
    if (unsynced_->second) commits_[unsynced_->first] = *unsynced_->second;
    unsynced_.reset();
  }
  // What is wrong with the newest record: nothing may be.
  std::string damage() const {
    if (safe_ && (commits_.empty() || commits_.rbegin()->first < *safe_))
      return "epoch " + std::to_string(*safe_) + " was committed, and is gone";
    if (commits_.empty()) return "";
    const CommitRecord& newest = commits_.rbegin()->second;
    for (const HashedFile& file : newest.files)
      if (!MemoryChunkFiles(disk_).has(file)) return file.file + " was committed, and is not whole";
    if (newest.record.best && !commits_.contains(newest.record.best->epoch)) return "the best epoch's record is gone";
    return "";
  }

  const std::map<Epoch, CommitRecord>& commits() const { return commits_; }
  // The job's model.
  const std::optional<CommitRecord>& published() const { return published_; }

 private:
  bool is_durable(const HashedFile& file) const {
    return disk_ == nullptr || (MemoryChunkFiles(disk_).has(file) && !disk_->unsynced.contains(file.file));
  }
  // As the run's recorder does it (core/records/run_recorder.cc).
  void synced() {
    if (!unsynced_) return;
    const Epoch epoch = std::exchange(unsynced_, std::nullopt)->first;
    safe_ = epoch;
    kept_.insert(epoch);
    while (kept_.size() > 2) kept_.erase(kept_.begin());
    const auto& best = commits_.at(epoch).record.best;
    const auto stays = [&](Epoch old) { return old >= epoch || kept_.contains(old) || (best && best->epoch == old); };
    std::erase_if(commits_, [&](const auto& commit) { return !stays(commit.first); });
    std::set<std::string> folders;
    for (Epoch old = 0; old < epoch; ++old)
      if (!stays(old)) folders.insert(RunFolder{}.checkpoint(old).filename().string());
    std::erase_if(disk_->files,
                  [&](const auto& file) { return folders.contains(file.first.substr(0, file.first.find('/'))); });
  }

  std::map<Epoch, CommitRecord> commits_;
  std::set<Epoch> kept_;
  std::optional<std::pair<Epoch, std::optional<CommitRecord>>> unsynced_;  // the newest, and that which it replaced
  bool told_of_ = false;
  std::optional<Epoch> safe_;  // the newest that was synced
  std::function<void(const std::string&, const Fields&)> told_;
  std::shared_ptr<MemoryDisk> disk_;
  std::optional<CommitRecord> published_;
};

}  // namespace rota::sim
