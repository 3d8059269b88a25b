// tests/sim/disks.h -- all disks of a simulated cluster: the coordinator's, and those of processes that do not see it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rota/types.h"
#include "tests/sim/memory_disk.h"

namespace rota::sim {

class Disks {
 public:
  // `is_full`: asked at every write.
  explicit Disks(std::function<bool()> is_full)
      : contents_(std::make_shared<MemoryContents>()), is_full_(std::move(is_full)), shared_(made()) {}

  const std::shared_ptr<MemoryDisk>& shared() const { return shared_; }
  // Null if this process writes to the coordinator's.  Who has one has it always, as it runs on the same machine again;
  // `draw` says whether a new one has.
  std::shared_ptr<MemoryDisk> own(NodeId id, const std::function<bool()>& draw) {
    if (!own_.contains(id)) own_[id] = draw() ? made() : nullptr;
    return own_[id];
  }
  bool has_own(NodeId id) const {
    const auto found = own_.find(id);
    return found != own_.end() && found->second != nullptr;
  }
  // REQUIRES has_own(id), as below.
  void replace(NodeId id) { own_[id] = made(); }
  void cut_power(NodeId id, std::mt19937_64& random) { own_[id]->cut_power(random); }
  void cut_power(std::mt19937_64& random) {
    shared_->cut_power(random);
    for (const auto& [id, disk] : own_)
      if (disk != nullptr) disk->cut_power(random);
  }

  // What the work that has just run wrote is synced by a call of this.
  std::function<void()> written() {
    std::vector<std::pair<std::shared_ptr<MemoryDisk>, std::vector<std::string>>> all;
    const auto add = [&](const std::shared_ptr<MemoryDisk>& disk) {
      if (disk != nullptr && !disk->just_written.empty()) all.emplace_back(disk, disk->take_written());
    };
    add(shared_);
    for (const auto& [id, disk] : own_) add(disk);
    return [all] {
      for (const auto& [disk, names] : all) disk->sync(names);
    };
  }

 private:
  std::shared_ptr<MemoryDisk> made() const {
    auto disk = std::make_shared<MemoryDisk>(contents_);
    disk->is_full = is_full_;
    return disk;
  }

  std::shared_ptr<MemoryContents> contents_;
  std::function<bool()> is_full_;
  std::shared_ptr<MemoryDisk> shared_;
  std::map<NodeId, std::shared_ptr<MemoryDisk>> own_;
};

}  // namespace rota::sim
