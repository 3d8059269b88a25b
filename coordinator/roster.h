// coordinator/roster.h -- who is in the run, where, and who has gone silent.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "coordinator/plan.h"
#include "wire/message.h"

namespace rota {

class Roster {
 public:
  explicit Roster(const RunPlan& plan);

  // Takes a process in, in place of an earlier start of it.  Why not: another version, another job, a number that is
  // not of this run.
  Status join(NodeId process, const Hello& hello, Nanoseconds now);
  bool complete() const;
  bool contains(NodeId process) const { return members_.contains(process); }
  // Those that have not joined, for people: "worker-1, scheduler-0".
  std::string missing() const;

  void heard(NodeId process, std::uint64_t memory, Nanoseconds now);
  void disconnected(NodeId process, Nanoseconds now);
  // A member from which nothing came for too long: the time-out, or a short grace after its connection broke.
  std::optional<std::string> lost(Nanoseconds now) const;

  std::vector<NodeId> processes() const;
  std::vector<NodeId> workers() const { return of(Role::worker); }
  std::vector<NodeId> schedulers() const { return of(Role::scheduler); }
  const std::vector<NodeId>& partition_hosts() const { return partition_hosts_; }
  Welcome welcome() const;
  std::vector<std::pair<std::string, std::uint64_t>> peak_memory() const;
  std::string describe(NodeId process) const;  // "worker-1 (pid 77 on node5)"

 private:
  struct Member {
    Hello hello;
    Nanoseconds heard_at = 0;
    std::optional<Nanoseconds> disconnected_at;
    std::uint64_t memory = 0;
  };
  std::vector<NodeId> of(Role role) const;

  Hash128 job_;
  Nanoseconds peer_timeout_, disconnect_grace_;
  std::optional<Epoch> resume_;
  std::vector<NodeId> expected_;
  std::vector<NodeId> partition_hosts_;
  std::map<NodeId, Member> members_;
};

}  // namespace rota
