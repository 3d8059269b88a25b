// coordinator/checkpoints.h -- checkpoints one after the other, each from SAVE until its commit record is durable,
// while training may continue.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "coordinator/plan.h"
#include "core/checkpoint/copies.h"
#include "core/records/records.h"
#include "core/rounds/shard_hosts.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"

namespace rota {

// One of them.
class Checkpoint {
 public:
  // `workers`: that host shards.
  Checkpoint(const RunPlan& plan, std::size_t workers, Epoch epoch) : plan_(plan), workers_(workers), epoch_(epoch) {}

  Epoch epoch() const { return epoch_; }
  // How many objects a partition is to wait for: its shards, slices and schedules, in partition 0 the cut and what
  // all shards know alike, and the state of its own pull.
  std::uint64_t objects_of(std::uint32_t partition) const;

  // A worker or scheduler has put all it has.  False if it reported before.
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

class Checkpoints {
 public:
  // Called when a checkpoint has progressed: all is put, or it is committed (then with its epoch), or an error.
  using Progress = std::function<void(const Status& status, std::optional<Epoch> committed, Outbox& out)>;

  // `plan` and `hosts` outlive this.  The newest checkpoint is the one that the plan resumes from.
  Checkpoints(const RunPlan& plan, std::shared_ptr<Recorder> recorder, const ShardHosts& hosts, Progress progress);

  // Sends SAVE for `record.epoch`.  REQUIRES !writing().
  void begin(CommitRecord record, Outbox& out);
  bool writing() const { return current_.has_value(); }
  // SAVE of the epoch was sent.
  bool begun(Epoch epoch) const { return committed(epoch) || (current_ && current_->epoch() == epoch); }
  // Workers and schedulers have put copies of all they have: they may continue.
  bool saved(Epoch epoch) const { return committed(epoch) || (begun(epoch) && current_->all_saved()); }
  bool committed(Epoch epoch) const { return last_ && last_->epoch == epoch; }

  // Messages.  An error ends the job with it.
  Status on(const Saved& saved, NodeId from, Outbox& out);
  Status on(const Written& written, NodeId from, Outbox& out);
  Status on(const Chunk& chunk, NodeId from, Outbox& out);
  Status on(const AskChunk& ask, NodeId from, Outbox& out);

  // Progress is not called any more; what is under way may still become durable.
  void set_aside() { set_aside_ = true; }
  // A commit record is being written, or a part of a copy, by the thread for files: what is durable is known when it
  // is.
  bool busy() const { return committing_ || copies_.busy(); }

  const std::optional<CommitRecord>& last() const { return last_; }
  // With patience, that of the best epoch.
  const std::optional<CommitRecord>& best() const { return best_; }
  // From SAVE to the commit record, the newest.
  std::optional<Nanoseconds> took() const { return took_; }

 private:
  void commit_if_whole(Outbox& out);
  Continuation after_commit(CommitRecord record, Status status);

  const RunPlan& plan_;
  std::shared_ptr<Recorder> recorder_;
  const ShardHosts& hosts_;
  Progress progress_;
  CommitRecord record_;  // of the current one
  std::optional<Checkpoint> current_;
  Copies copies_;  // of its files on other disks
  bool committing_ = false, set_aside_ = false;
  std::optional<CommitRecord> last_ = plan_.resume, best_ = plan_.best;
  Nanoseconds began_ = 0;
  std::optional<Nanoseconds> took_;
};

}  // namespace rota
