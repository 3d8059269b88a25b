// coordinator/membership.h -- the members of a run: which processes are in it (Roster), which workers host its shards
// (Workforce), and how shards move to others because workers join or leave, or are slow.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "coordinator/plan.h"
#include "coordinator/roster.h"
#include "coordinator/workforce.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

class Membership {
 public:
  // Both outlive this.
  Membership(const RunPlan& plan, Recorder& recorder)
      : plan_(plan), recorder_(recorder), workforce_(plan), roster_(plan, workforce_) {}

  Roster& roster() { return roster_; }
  // Of this era.
  const ShardHosts& hosts() const { return workforce_.hosts(); }
  bool hosts(NodeId process) const { return process.role != Role::worker || hosts().of(process.index).size() > 0; }
  // No era has begun under this coordinator; or under an earlier start of it either.
  bool first_era() const { return eras_ == 0; }
  bool has_begun() const { return eras_ > 0 || plan_.era > 1; }

  // ---- joining ----

  // A worker that the run does not wait for: one more, or a spare.
  bool is_additional(NodeId process) const {
    return process.role == Role::worker && !workforce_.awaits(process.index) && !hosts(process);
  }
  // In place of an earlier start of it.  REQUIRES roster().check().
  void admit(NodeId process, const Hello& hello, Nanoseconds now);
  // A sign of life.
  void confirm_alive(NodeId process, std::uint64_t memory, Nanoseconds now);
  // What all members need for this era.
  Welcome welcome() const;
  // Members have been awaited for so long.  Spares take the places of missing workers at once, and those that are left
  // when none has come for long.
  void wait_for_missing(Nanoseconds waited);
  // Why the run cannot continue with the workers that it has, or "".
  std::string too_few() const;

  // ---- leaving ----

  // A process that ended itself by a signal, and in what.
  std::optional<std::string> crash_of(NodeId process) const;
  // What is known of a process that is gone, and what the job ends with if none takes its place.
  Ending describe_loss(const Roster::Loss& loss) const;
  // It is gone.  It may come back, unless others take its place.
  void drop(NodeId process);
  // Drops all that are lost, while that costs nothing.
  void drop_lost(Nanoseconds now);
  // A worker is to end as soon as others host its shards.  False if there are none.
  bool drain(NodeId worker);
  bool is_leaving(NodeId worker) const { return worker.role == Role::worker && workforce_.is_leaving(worker.index); }
  // It hosts nothing any more.
  void release(NodeId worker, Outbox& out);

  // ---- eras ----

  // All that have left are released, and shards are where they were to be.
  void begin_era(Outbox& out);
  // While rounds are computed: judges the workers by the newest epoch; if shards are to be hosted in another way, their
  // future hosts read what they will need.
  void plan_moves(const EpochRecord& newest, Outbox& out);
  // A worker has read.  True if that was the last one: shards can move at the end of an epoch.
  bool has_read(const HasRead& read, std::uint32_t worker);

 private:
  struct Move {
    std::uint64_t number = 0;
    ShardHosts hosts;                 // in the next era
    std::set<std::uint32_t> reading;  // workers that have not read what they need for it
  };

  void replace_missing(Nanoseconds waited);
  void forget(NodeId worker);
  void update_load_balance(const EpochRecord& newest);

  const RunPlan& plan_;
  Recorder& recorder_;
  Workforce workforce_;
  Roster roster_;
  std::uint32_t eras_ = 0;              // that began
  bool reported_unresponsive_ = false;  // of what an earlier start of the coordinator had
  Balance balance_;
  Epoch balanced_ = 0;  // the newest epoch that is judged
  std::optional<Move> move_;
  std::uint64_t moves_ = 0;
};

}  // namespace rota
