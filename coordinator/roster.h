// coordinator/roster.h -- which processes are in the run, where, and which are silent.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/plan.h"
#include "coordinator/workforce.h"
#include "core/base/clock.h"
#include "core/wire/message.h"

namespace rota {

class Roster {
 public:
  // Expects the schedulers and stores of the plan, and the workers that `workforce` awaits at any time.  Both outlive
  // this.
  Roster(const RunPlan& plan, const Workforce& workforce);

  // Why a process may not be taken in: another version, another job, another plugin file than those that are there
  // have, a number that is not of this run.
  Status check(NodeId process, const Hello& hello) const;
  // Takes it in, in place of an earlier start of it, whether it is awaited or not.
  void join(NodeId process, const Hello& hello, Nanoseconds now);
  // All that are expected have joined, and none of them has left.
  bool complete() const { return missing().empty(); }
  bool contains(NodeId process) const { return members_.contains(process); }
  // It is there, as far as is known.
  bool has(NodeId process) const {
    const Member* const member = find(process);
    return member != nullptr && !member->away;
  }
  // Those that have not joined, or have left; and for people: "worker-1, scheduler-0".
  std::vector<NodeId> absent() const;
  std::string missing() const;

  // A sign of life.  True if the process had left, and so is back.
  bool confirm_alive(NodeId process, std::uint64_t memory, Nanoseconds now);
  // What a process reports of its work and its links.  `trains`: how long work takes is measured.
  void record_beat(NodeId process, const Beat& beat, bool trains, Nanoseconds now);
  void disconnected(NodeId process, Nanoseconds now) {
    if (Member* const member = find(process); member != nullptr && !member->disconnected_at)
      member->disconnected_at = now;
  }
  // This process itself did not run: no silence before `now` counts.
  void discount_pause(Nanoseconds now);
  struct Loss {
    NodeId process;
    std::string what;     // "worker-1 (pid 77 on node5) was lost: ..."
    bool broken = false;  // its connection: it is not there any more, or not to be reached
    bool lives = false;   // and could end by itself
  };
  // A member from which nothing came for too long: the time-out, or a short grace after its connection broke.
  std::optional<Loss> lost(Nanoseconds now) const;
  // A member that lives and makes no progress.  Its work has made none for ten times the time-out, and for ten times
  // the longest that any member's took so far; while it prepares itself for `era`, or for a later one if it is a
  // worker that is none of `hosts`, for twelve times that.  Or another member does not reach it, though both beat: for
  // half as long again as the time-out.
  std::optional<Loss> stuck(std::uint64_t era, const ShardHosts& hosts, bool trains, Nanoseconds now) const {
    if (auto loss = hung(era, hosts, trains, now)) return loss;
    return unreachable(now);
  }
  // Connections are made again: what was reported of them before does not count.
  void begin_era(Nanoseconds now) { era_began_ = now; }
  // It is no member of the run any more.
  void forget(NodeId process) { members_.erase(process); }
  // While others are awaited a lost process costs nothing yet: it is missing again, until a message of it comes or it
  // restarts.
  void leave(NodeId process) {
    if (Member* const member = find(process)) member->away = true;
  }
  // As leave(), after a signal to end: only a new start takes its place.
  void dismiss(NodeId process) {
    if (Member* const member = find(process)) member->away = member->dismissed = true;
  }

  // All that are there, awaited or not.
  std::vector<NodeId> members() const {
    std::vector<NodeId> ids;
    for (const auto& [id, member] : members_) ids.push_back(id);
    return ids;
  }
  Welcome welcome(const ShardHosts& hosts) const;
  // A worker's number that no process has had; assign_worker() gives it to one that is to join.
  std::uint32_t next_worker() const { return next_worker_; }
  std::uint32_t assign_worker() { return next_worker_++; }
  std::vector<std::pair<std::string, std::uint64_t>> peak_memory() const {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const auto& [id, member] : members_) all.emplace_back(id.name(), member.memory);
    return all;
  }
  std::uint64_t memory(NodeId process) const {  // the most that it reported; 0: nothing
    const Member* const member = find(process);
    return member == nullptr ? 0 : member->memory;
  }
  std::uint64_t pid(NodeId process) const {
    const Member* const member = find(process);
    return member == nullptr ? 0 : member->hello.pid;
  }
  std::string host(NodeId process) const {
    const Member* const member = find(process);
    return member == nullptr ? "" : member->hello.host;
  }
  std::string describe(NodeId process) const;  // "worker-1 (pid 77 on node5)"

 private:
  struct Member {
    Hello hello;
    Nanoseconds last_received = 0;
    std::optional<Nanoseconds> disconnected_at;
    std::uint64_t memory = 0;
    bool away = false, dismissed = false;
    Beat beat = {};                            // the newest
    Nanoseconds beat_at = 0, beats_since = 0;  // when it came, and since when they come without a gap
    Nanoseconds progressed_at = 0;             // when it had nothing to do, or some work of it had ended
  };
  Member* find(NodeId process) { return const_cast<Member*>(std::as_const(*this).find(process)); }
  const Member* find(NodeId process) const {
    const auto found = members_.find(process);
    return found == members_.end() ? nullptr : &found->second;
  }
  std::optional<Loss> hung(std::uint64_t era, const ShardHosts& hosts, bool trains, Nanoseconds now) const;
  std::optional<Loss> unreachable(Nanoseconds now) const;
  Status check_plugin(NodeId process, const Hello& hello) const;
  bool complains(const Member& member, Nanoseconds now) const;
  std::uint64_t number_of(const Hello& hello) const;
  std::vector<NodeId> expected() const;

  const RunPlan& plan_;
  const Workforce& workforce_;
  std::uint64_t first_era_;  // of this start of the coordinator
  std::uint32_t next_worker_;
  std::map<NodeId, Member> members_;
  Nanoseconds longest_task_ = 0;  // that a member with work took to get on
  Nanoseconds era_began_ = 0;
};

}  // namespace rota
