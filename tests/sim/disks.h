// tests/sim/disks.h -- the disks of a simulated cluster, the time of their work, and their faults.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "core/wire/node_id.h"
#include "tests/sim/cluster.h"
#include "tests/sim/memory_checkpoints.h"

namespace rota::sim {

class Disks {
 public:
  // Counts their faults in `outcome`.
  Disks(const Shape& shape, const Faults& faults, std::mt19937_64& random, Outcome& outcome)
      : shape_(shape), faults_(faults), random_(random), outcome_(outcome), fulls_left_(faults.full_disks_most) {
    work_->takes = [this] {
      // Most are short, so that long ones rarely coincide.
      return span(chance(0.1) ? faults_.sync_most : faults_.sync_most / 100);
    };
    work_->full = [this] { return fills_up(); };
    shared_ = new_disk();
  }

  // The disk of the coordinator, and of all processes without their own.
  const std::shared_ptr<MemoryDisk>& shared() const { return shared_; }
  // Null if it writes to the coordinator's disk.  A process keeps its disk, as it is restarted on the same machine.
  std::shared_ptr<MemoryDisk> own(NodeId id) {
    if (id == kCoordinator) return nullptr;  // whose disk is the shared one
    if (!own_.contains(id)) own_[id] = chance(shape_.own_disk_share) ? new_disk() : nullptr;
    return own_[id];
  }

  // Does work for files; says when it is done.
  template <typename Work>
  Nanoseconds run(std::uint64_t life, Nanoseconds now, const Work& work) {
    work_->life = life;
    work_->now = now;
    works_ = true;
    work();
    works_ = false;
    return work_->now;
  }
  // The simulated time within the running work.
  Nanoseconds now() const { return work_->now; }

  // Discards the steps that these processes have not done yet.
  void killed(Nanoseconds now, const std::function<bool(std::uint64_t life)>& is_over) {
    for_each([&](MemoryDisk& disk) { disk.killed(now, is_over); });
  }
  void cut_power(Nanoseconds now) {
    for_each([&](MemoryDisk& disk) { cut_power(disk, now); });
  }
  // Of one machine, whose processes were killed.
  void cut_power(MemoryDisk& disk, Nanoseconds now) { outcome_.unsynced_lost += disk.cut(now, random_); }
  // By chance: the machine comes back with an empty disk.
  void lose(NodeId id) {
    const auto found = own_.find(id);
    if (found == own_.end() || found->second == nullptr || !chance(faults_.disk_loss_share)) return;
    ++outcome_.disks_lost;
    found->second = new_disk();
  }
  // Whether one was full since this was asked last.
  bool were_full() { return std::exchange(were_full_, false); }

 private:
  std::shared_ptr<MemoryDisk> new_disk() { return std::make_shared<MemoryDisk>(contents_, work_); }
  bool chance(double share) { return share > 0 && std::uniform_real_distribution<double>()(random_) < share; }
  Nanoseconds span(Nanoseconds most) {
    return most <= 0 ? 0 : std::uniform_int_distribution<Nanoseconds>(0, most)(random_);
  }
  bool fills_up() {
    if (!works_ || fulls_left_ <= 0 || !chance(faults_.full_disk_share)) return false;
    --fulls_left_;
    ++outcome_.full_disks;
    return were_full_ = true;
  }
  template <typename F>
  void for_each(const F& f) {
    f(*shared_);
    for (const auto& [id, disk] : own_)
      if (disk != nullptr) f(*disk);
  }

  const Shape& shape_;
  const Faults& faults_;
  std::mt19937_64& random_;
  Outcome& outcome_;
  int fulls_left_;
  bool works_ = false, were_full_ = false;
  std::shared_ptr<MemoryContents> contents_ = std::make_shared<MemoryContents>();
  std::shared_ptr<DiskWork> work_ = std::make_shared<DiskWork>();
  std::shared_ptr<MemoryDisk> shared_;
  std::map<NodeId, std::shared_ptr<MemoryDisk>> own_;
};

}  // namespace rota::sim
