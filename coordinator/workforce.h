// coordinator/workforce.h -- which of the workers that are there host shards in the next era: those that join, leave,
// are lost, and stand by.  It decides, and sends nothing.
#pragma once
#include <cstdint>
#include <map>
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
  bool awaits(std::uint32_t worker) const;
  // There are fewer of them than --min_workers.
  bool too_few() const { return order_.size() < min_workers_; }
  // How shards are hosted in the next era.  REQUIRES !awaited().empty().
  ShardHosts next() const;
  bool is_leaving(std::uint32_t worker) const { return leaving_.contains(worker); }

  // The next era begins.
  const ShardHosts& begin_era();
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

}  // namespace rota
