#include "coordinator/roster.h"

#include <algorithm>
#include <utility>

#include "core/base/version.h"

namespace rota {

// Of what is measured, so that a hook may take its time.
constexpr Nanoseconds kPatience = 10;
// And before the run trains: reading the data is one task of unknown size.
constexpr Nanoseconds kLoadingPatience = 120;

Roster::Roster(const RunPlan& plan, const Workforce& workforce)
    : plan_(plan),
      workforce_(workforce),
      first_era_(std::max<std::uint64_t>(plan.era, 1)),
      next_worker_(plan.workers) {}

std::vector<NodeId> Roster::expected() const {
  std::vector<NodeId> all = plan_.scheduler_nodes();
  for (const std::uint32_t worker : workforce_.awaited()) all.push_back({Role::worker, worker});
  for (std::uint32_t i = 0; i < plan_.stores; ++i) all.push_back({Role::kvstore, i});
  return all;
}

Status Roster::check(NodeId process, const Hello& hello) const {
  const std::vector<NodeId> all = expected();
  const bool joins_later = process.role == Role::worker && plan_.on_loss != OnLoss::stop;
  if (!joins_later && std::ranges::find(all, process) == all.end())
    return {ExitCode::usage, process.name() + " is not part of this run"};
  if (hello.version != kVersion)
    return {ExitCode::wrong_version,
            process.name() + " is Rota " + hello.version + ", the coordinator is Rota " + kVersion};
  if (hello.job != plan_.hash)
    return {ExitCode::usage, process.name() + " was started with other options than the coordinator"};
  return check_plugin(process, hello);
}

// A plugin of another build may compute something else, and it would not be noticed.
Status Roster::check_plugin(NodeId process, const Hello& hello) const {
  for (const auto& [id, member] : members_) {
    const auto& known = member.hello.plugin;
    if (id == process || member.away || !known || !hello.plugin || *known == *hello.plugin) continue;
    return {ExitCode::wrong_version, process.name() + " on " + hello.host + " has opened another plugin file (" +
                                         hello.plugin->hex() + ") than " + describe(id) + " has (" + known->hex() +
                                         "): the same must be on all machines"};
  }
  return {};
}

// The link is that of the newest start already, so messages of an older one of the same name would not arrive.
void Roster::join(NodeId process, const Hello& hello, Nanoseconds now) {
  if (process.role == Role::worker) next_worker_ = std::max(next_worker_, process.index + 1);
  members_[process] = {hello, now, std::nullopt, 0, false, false, {}, now, now, now};
}

std::vector<NodeId> Roster::absent() const {
  std::vector<NodeId> all = expected();
  std::erase_if(all, [this](NodeId id) { return has(id); });
  return all;
}

std::string Roster::missing() const {
  std::string names;
  for (const NodeId id : absent()) names += (names.empty() ? "" : ", ") + id.name();
  return names;
}

bool Roster::confirm_alive(NodeId process, std::uint64_t memory, Nanoseconds now) {
  Member* const found = find(process);
  if (found == nullptr) return false;
  Member& member = *found;
  member.last_received = now;
  member.memory = std::max(member.memory, memory);
  // What a dead process had sent still comes for a while, so only a message after the grace shows that it is back.
  if (member.disconnected_at && now - *member.disconnected_at > plan_.disconnect_grace) member.disconnected_at.reset();
  return !member.dismissed && std::exchange(member.away, false);
}

void Roster::record_beat(NodeId process, const Beat& beat, bool trains, Nanoseconds now) {
  Member* const found = find(process);
  if (found == nullptr) return;
  Member& member = *found;
  const bool ended_some = beat.progress != member.beat.progress;
  if (ended_some && member.beat.work_in_flight > 0 && trains)
    longest_task_ = std::max(longest_task_, now - member.progressed_at);
  if (ended_some || beat.work_in_flight == 0 || beat.era != member.beat.era) member.progressed_at = now;
  if (now - member.beat_at > plan_.peer_timeout / 2) member.beats_since = now;
  member.beat_at = now;
  member.beat = beat;
}

std::optional<Roster::Loss> Roster::hung(std::uint64_t era, const ShardHosts& hosts, bool trains,
                                         Nanoseconds now) const {
  for (const auto& [id, member] : members_) {
    const Nanoseconds still = now - member.progressed_at;
    const Nanoseconds longest = std::max(plan_.peer_timeout, longest_task_);
    // Of most members nothing else need be known, and their shards are not found at once.
    if (member.away || still < kPatience * longest) continue;
    // A worker that hosts nothing reads what it is to host.  One that is to leave still hosts.
    const bool only_reads = id.role == Role::worker && hosts.of(id.index).size() == 0;
    const bool prepares = only_reads || (!trains && member.beat.era == era);
    if (prepares && still < kLoadingPatience * longest) continue;
    return Loss{id,
                describe(id) + " was lost: it lives, and its work has made no progress for " +
                    std::to_string(still / kSecond) + " s (the limit grows with --peer_timeout_seconds)",
                false, true};
  }
  return std::nullopt;
}

// Of two that do not reach each other, the one with more complaints is lost; with equally many, the later one.
std::optional<Roster::Loss> Roster::unreachable(Nanoseconds now) const {
  std::map<NodeId, std::size_t> complaints;
  std::optional<Loss> loss;
  std::size_t most = 0;
  for (const auto& [id, member] : members_)
    if (complains(member, now)) ++complaints[*member.beat.unresponsive_peer];
  for (const auto& [id, member] : members_) {
    if (!complains(member, now) || !members_.contains(*member.beat.unresponsive_peer)) continue;
    const NodeId other = *member.beat.unresponsive_peer;
    const std::size_t of_other = complaints[other], of_this = complaints.contains(id) ? complaints[id] : 0;
    const NodeId goes = of_other != of_this ? (of_other > of_this ? other : id) : std::max(id, other);
    const std::size_t weight = std::max(of_other, of_this);
    if (weight <= most) continue;
    most = weight;
    loss = Loss{goes,
                describe(goes) + " was lost: " + id.name() + " does not reach " + other.name() +
                    ", which has not answered for " + std::to_string(member.beat.unresponsive_ns / kSecond) + " s",
                false, true};
  }
  return loss;
}

// A process whose own thread is in a hook acknowledges nothing either; but then it does not beat.
bool Roster::complains(const Member& member, Nanoseconds now) const {
  if (member.away || !member.beat.unresponsive_peer) return false;
  const Member* const other = find(*member.beat.unresponsive_peer);
  if (other == nullptr || other->away) return false;
  const Nanoseconds last = std::min(member.beat_at, other->beat_at);
  const Nanoseconds since = std::max({era_began_, member.beats_since, other->beats_since});
  const Nanoseconds unresponsive_peer = std::min(static_cast<Nanoseconds>(member.beat.unresponsive_ns), now - since);
  return now - last < plan_.peer_timeout && unresponsive_peer >= plan_.peer_timeout + plan_.peer_timeout / 2;
}

void Roster::discount_pause(Nanoseconds now) {
  for (auto& [id, member] : members_) {
    member.last_received = member.progressed_at = now;
    if (member.disconnected_at) member.disconnected_at = now;
  }
}

std::optional<Roster::Loss> Roster::lost(Nanoseconds now) const {
  for (const auto& [id, member] : members_) {
    if (member.away) continue;
    const Nanoseconds silent = now - member.last_received;
    if (silent >= plan_.peer_timeout)
      return Loss{id, describe(id) + " was lost: no message for " + std::to_string(silent / kSecond) + " s", false};
    if (member.disconnected_at &&
        now - std::max(*member.disconnected_at, member.last_received) >= plan_.disconnect_grace)
      return Loss{id, describe(id) + " was lost: its connection broke and it did not come back", true};
  }
  return std::nullopt;
}

// By which members identify each other.  Another one under every start of the coordinator: a restarted one may admit a
// process in between that another had replaced, of which only some are informed, and then links of the same two
// starts would not be of the same length at both ends.
std::uint64_t Roster::number_of(const Hello& hello) const {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // odd: no two eras below 2^64 give a start the same number
  const std::uint64_t number = hello.incarnation + kStep * (first_era_ - 1);
  return number == 0 ? 1 : number;
}

Welcome Roster::welcome(const ShardHosts& hosts) const {
  Welcome welcome;
  for (const auto& [id, member] : members_)
    welcome.peers.push_back({id, member.hello.endpoint, number_of(member.hello)});
  welcome.shard_hosts = hosts.ranges();
  const std::vector<std::uint32_t> workers = hosts.workers();
  for (std::uint32_t p = 0; p < plan_.partitions; ++p)
    welcome.partition_hosts.push_back(plan_.stores > 0 ? NodeId{Role::kvstore, p % plan_.stores}
                                                       : NodeId{Role::worker, workers[p % workers.size()]});
  return welcome;
}

std::string Roster::describe(NodeId process) const {
  const Member* const member = find(process);
  if (member == nullptr) return process.name();
  return process.name() + " (pid " + std::to_string(member->hello.pid) + " on " + member->hello.host + ")";
}

}  // namespace rota
