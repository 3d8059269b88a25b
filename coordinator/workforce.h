// coordinator/workforce.h -- which of the workers that are there host shards in the next era: those that join, leave,
// are lost, and stand by.  Both classes decide, and send nothing.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "coordinator/plan.h"
#include "core/rounds/shard_hosts.h"
#include "core/wire/message.h"

namespace rota {

class Workforce {
 public:
  // At first the workers 0 .. plan.workers-1 are awaited.
  explicit Workforce(const RunPlan& plan);

  // A worker has joined that is not awaited: one more, or a spare.
  void join(std::uint32_t worker, Joins how);
  // It wants to go as soon as others can host its shards.  False if there are none: nothing changes then.
  bool leave(std::uint32_t worker);
  // It is gone.  True if others take its shards, and it is not awaited any more: a spare, or (--on_loss=move) all that
  // are left.  If those are all about to leave, they stay until another joins.
  bool lose(std::uint32_t worker);
  // It is not awaited any more: a spare takes its place, or all that are left.
  void replace(std::uint32_t worker);
  bool has_spare() const { return !spares_.empty(); }
  // It was slow for long: from now on shards are shared out by how many a second each worker does.
  void set_speeds(std::map<std::uint32_t, double> speeds) { speeds_ = std::move(speeds); }

  // Those that will host shards, and must be there before the next era can begin.
  const std::vector<std::uint32_t>& awaited() const { return order_; }
  bool awaits(std::uint32_t worker) const { return std::ranges::find(order_, worker) != order_.end(); }
  bool too_few() const { return order_.size() < min_workers_; }
  // How shards are hosted in the next era.  REQUIRES !awaited().empty().
  ShardHosts next() const;
  bool is_leaving(std::uint32_t worker) const { return leaving_.contains(worker); }

  const ShardHosts& begin_era() {
    leaving_.clear();
    hosts_ = next();
    return hosts_;
  }
  const ShardHosts& hosts() const { return hosts_; }
  // Another era would have other hosts.
  bool changes() const { return !order_.empty() && next() != hosts_; }

 private:
  void add(std::uint32_t worker);
  void cancel_leaving();
  std::uint32_t newly_read(const std::vector<std::uint32_t>& order) const;

  std::uint32_t shards_, min_workers_;
  bool moves_;
  std::vector<std::uint32_t> order_;  // in that of their shards
  std::set<std::uint32_t> spares_;    // and those without a shard
  std::set<std::uint32_t> replaced_;  // lost, and others host their shards
  std::set<std::uint32_t> leaving_;
  std::set<std::uint32_t> staying_;  // that would leave if there were others
  std::map<std::uint32_t, double> speeds_;
  ShardHosts hosts_;  // of this era; none yet: no worker
};

// Finds out whether a worker is slow for long, from how long each computed in the newest epochs.  What it decides moves
// shards, and changes no bit of the model.
class Balance {
 public:
  // Shards a second, by worker.
  using Speeds = std::map<std::uint32_t, double>;

  // A span is one epoch or several, in which the slowest worker computed for kSeconds.  A worker is slow if in kSpans
  // spans in a row shards in proportion to the speeds would have taken 1/kGain of the time.
  static constexpr std::size_t kSpans = 5;
  static constexpr double kSeconds = 2, kGain = 1.25;

  // `seconds`: how long each worker computed in an epoch.  If shards are to be shared out again, by which speeds; then
  // twice as many spans are needed the next time, as every move costs a reading and a pause.  What slows a worker
  // down need not show where it computes little: with its shards gone it can look fast, get them back, be slow again.
  // So such moves to and fro come ever more seldom.
  std::optional<Speeds> add(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts);
  // Shards have moved: what was seen before says nothing.
  void clear() {
    span_.clear();
    all_.clear();
    spans_ = 0;
  }

 private:
  std::map<std::uint32_t, double> span_, all_;  // seconds of the span that is not full, and of those before in a row
  std::size_t spans_ = 0, needed_ = kSpans;
};

}  // namespace rota
