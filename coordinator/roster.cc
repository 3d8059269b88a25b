#include "coordinator/roster.h"

#include <algorithm>
#include <utility>

#include "core/base/version.h"

namespace rota {

Roster::Roster(const RunPlan& plan)
    : job_(plan.job), peer_timeout_(plan.peer_timeout), disconnect_grace_(plan.disconnect_grace) {
  const auto expect = [&](Role role, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) expected_.push_back({role, i});
  };
  expect(Role::scheduler, plan.schedulers);
  expect(Role::worker, plan.workers);
  expect(Role::kvstore, plan.stores);
  for (std::uint32_t p = 0; p < plan.partitions; ++p) {
    partition_hosts_.push_back(plan.stores > 0 ? NodeId{Role::kvstore, p % plan.stores}
                                               : NodeId{Role::worker, p % plan.workers});
  }
}

Status Roster::check(NodeId process, const Hello& hello) const {
  if (std::find(expected_.begin(), expected_.end(), process) == expected_.end())
    return {ExitCode::usage, process.name() + " is not part of this run"};
  if (hello.version != kVersion)
    return {ExitCode::wrong_version,
            process.name() + " is Rota " + hello.version + ", the coordinator is Rota " + kVersion};
  if (hello.job != job_)
    return {ExitCode::usage, process.name() + " was started with other options than the coordinator"};
  return {};
}

// The link is that of the newest start already, so an older one of the same name would not be heard any more.
void Roster::join(NodeId process, const Hello& hello, Nanoseconds now) {
  members_[process] = {hello, now, std::nullopt, 0, false};
}

std::string Roster::missing() const {
  std::string names;
  for (const NodeId id : expected_) {
    const auto found = members_.find(id);
    if (found == members_.end() || found->second.away) names += (names.empty() ? "" : ", ") + id.name();
  }
  return names;
}

bool Roster::heard(NodeId process, std::uint64_t memory, Nanoseconds now) {
  const auto found = members_.find(process);
  if (found == members_.end()) return false;
  Member& member = found->second;
  member.heard_at = now;
  member.memory = std::max(member.memory, memory);
  // What a dead process had sent still comes for a while, so only a word behind the grace shows that it is back.
  if (member.disconnected_at && now - *member.disconnected_at > disconnect_grace_) member.disconnected_at.reset();
  return std::exchange(member.away, false);
}

void Roster::disconnected(NodeId process, Nanoseconds now) {
  const auto found = members_.find(process);
  if (found != members_.end() && !found->second.disconnected_at) found->second.disconnected_at = now;
}

void Roster::stood_still(Nanoseconds now) {
  for (auto& [id, member] : members_) {
    member.heard_at = now;
    if (member.disconnected_at) member.disconnected_at = now;
  }
}

std::optional<Roster::Loss> Roster::lost(Nanoseconds now) const {
  for (const auto& [id, member] : members_) {
    if (member.away) continue;
    const Nanoseconds silent = now - member.heard_at;
    if (silent >= peer_timeout_)
      return Loss{id, describe(id) + " was lost: nothing heard for " + std::to_string(silent / kSecond) + " s", false};
    if (member.disconnected_at && now - std::max(*member.disconnected_at, member.heard_at) >= disconnect_grace_)
      return Loss{id, describe(id) + " was lost: its connection broke and it did not come back", true};
  }
  return std::nullopt;
}

void Roster::leave(NodeId process) {
  const auto found = members_.find(process);
  if (found != members_.end()) found->second.away = true;
}

std::vector<NodeId> Roster::processes() const {
  return expected_;
}

std::vector<NodeId> Roster::of(Role role) const {
  std::vector<NodeId> ids;
  std::copy_if(expected_.begin(), expected_.end(), std::back_inserter(ids), [&](NodeId id) { return id.role == role; });
  return ids;
}

Welcome Roster::welcome() const {
  Welcome welcome;
  for (const auto& [id, member] : members_)
    welcome.peers.push_back({id, member.hello.endpoint, member.hello.incarnation});
  welcome.partition_hosts = partition_hosts_;
  return welcome;
}

std::vector<std::pair<std::string, std::uint64_t>> Roster::peak_memory() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const auto& [id, member] : members_) all.emplace_back(id.name(), member.memory);
  return all;
}

std::uint64_t Roster::memory(NodeId process) const {
  const auto found = members_.find(process);
  return found == members_.end() ? 0 : found->second.memory;
}

std::uint64_t Roster::pid(NodeId process) const {
  const auto found = members_.find(process);
  return found == members_.end() ? 0 : found->second.hello.pid;
}

std::string Roster::describe(NodeId process) const {
  const auto found = members_.find(process);
  if (found == members_.end()) return process.name();
  return process.name() + " (pid " + std::to_string(found->second.hello.pid) + " on " + found->second.hello.host + ")";
}

}  // namespace rota
