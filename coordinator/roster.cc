#include "coordinator/roster.h"

#include <algorithm>

#include "base/version.h"

namespace rota {

Roster::Roster(const RunPlan& plan)
    : job_(plan.job), peer_timeout_(plan.peer_timeout), disconnect_grace_(plan.disconnect_grace) {
  if (plan.resume) resume_ = plan.resume->epoch;
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

Status Roster::join(NodeId process, const Hello& hello, Nanoseconds now) {
  if (std::find(expected_.begin(), expected_.end(), process) == expected_.end())
    return {ExitCode::usage, process.name() + " is not part of this run"};
  if (hello.version != kVersion)
    return {ExitCode::wrong_version,
            process.name() + " is Rota " + hello.version + ", the coordinator is Rota " + kVersion};
  if (hello.job != job_)
    return {ExitCode::usage, process.name() + " was started with other options than the coordinator"};
  // The link is that of the newest start already, so an older one of the same name would not be heard any more.
  members_[process] = {hello, now, std::nullopt, 0};
  return {};
}

bool Roster::complete() const {
  return members_.size() == expected_.size();
}

std::string Roster::missing() const {
  std::string names;
  for (const NodeId id : expected_)
    if (!members_.contains(id)) names += (names.empty() ? "" : ", ") + id.name();
  return names;
}

void Roster::heard(NodeId process, std::uint64_t memory, Nanoseconds now) {
  const auto found = members_.find(process);
  if (found == members_.end()) return;
  found->second.heard_at = now;
  found->second.disconnected_at.reset();
  found->second.memory = std::max(found->second.memory, memory);
}

void Roster::disconnected(NodeId process, Nanoseconds now) {
  const auto found = members_.find(process);
  if (found != members_.end()) found->second.disconnected_at = now;
}

std::optional<std::string> Roster::lost(Nanoseconds now) const {
  for (const auto& [id, member] : members_) {
    if (now - member.heard_at >= peer_timeout_)
      return describe(id) + " was lost: nothing heard for " + std::to_string((now - member.heard_at) / kSecond) + " s";
    if (member.disconnected_at && now - *member.disconnected_at >= disconnect_grace_)
      return describe(id) + " was lost: its connection broke and it did not come back";
  }
  return std::nullopt;
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
  welcome.resume = resume_;
  return welcome;
}

std::vector<std::pair<std::string, std::uint64_t>> Roster::peak_memory() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const auto& [id, member] : members_) all.emplace_back(id.name(), member.memory);
  return all;
}

std::string Roster::describe(NodeId process) const {
  const auto found = members_.find(process);
  if (found == members_.end()) return process.name();
  return process.name() + " (pid " + std::to_string(found->second.hello.pid) + " on " + found->second.hello.host + ")";
}

}  // namespace rota
