// coordinator/checkpoint.h -- follows one checkpoint from SAVE to the commit record.
#pragma once
#include <map>
#include <set>
#include <vector>

#include "coordinator/plan.h"
#include "core/records/records.h"
#include "core/wire/message.h"

namespace rota {

class Checkpoint {
 public:
  // `workers`: that host shards.
  Checkpoint(const RunPlan& plan, std::size_t workers, Epoch epoch) : plan_(plan), workers_(workers), epoch_(epoch) {}

  Epoch epoch() const { return epoch_; }
  // How many objects a partition is to wait for: its shards, slices and schedules, in partition 0 the cut and what
  // all shards know alike, and the state of its own pull.
  std::uint64_t objects_of(std::uint32_t partition) const;

  // A worker or scheduler has put all it has.  False if it said so before.
  bool saved(NodeId by) { return saved_.insert(by).second; }
  bool all_saved() const { return saved_.size() == workers_ + plan_.schedulers; }

  // A partition has made its file durable.  False if it reported before, or something else than it was to hold.
  bool written(std::uint32_t partition, const Written& report);
  bool all_written() const { return files_.size() == plan_.partitions; }

  // Fills files and hashes.  The model's hash is taken over the slices in order and the set of shared rows, so it
  // does not depend on partitions; the state's over shards and schedules.
  void fill(CommitRecord& record) const;

 private:
  const RunPlan& plan_;
  std::size_t workers_;
  Epoch epoch_;
  std::set<NodeId> saved_;
  std::map<std::uint32_t, HashedFile> files_;
  std::map<std::pair<Object, std::uint64_t>, Hash128> objects_;
  Hash128 rows_;
};

}  // namespace rota
