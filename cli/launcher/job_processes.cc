#include "cli/launcher/job_processes.h"

#include <algorithm>
#include <system_error>

#include "cli/remote/agent_messages.h"
#include "core/base/clock.h"
#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Nanoseconds kFinishSpan = 3 * kSecond;
constexpr int kFinishPollMs = 20;
constexpr std::size_t kFlagsBytesMax = std::size_t{1} << 20;

}  // namespace

Status JobProcesses::prepare(const fs::path& sockets) {
  const Network& network = job_.network;
  address_ = network.over_tcp() ? network.coordinator : "ipc://" + (sockets / "coordinator").string();
  // The address in the run's folder may be that of a killed run.
  if (std::error_code ignored; network.over_tcp()) fs::remove(job_.run.address(), ignored);
  if (agents_.empty()) return {};
  ROTA_ASSIGN(place_, mark_place(job_.run));
  return {};
}

JobProcesses::~JobProcesses() {
  for (Agent& agent : agents_)
    if (agent.connection) agent.connection->finish();
  const auto ended = [](Agent& agent) { return !agent.connection || agent.connection->ssh_ended(); };
  for (const Nanoseconds until = now_ns() + kFinishSpan; !std::ranges::all_of(agents_, ended) && now_ns() < until;) {
    work();
    ::poll(nullptr, 0, kFinishPollMs);
  }
  for (Agent& agent : agents_)
    if (agent.connection) agent.connection->kill_ssh();
}

Result<std::unique_ptr<Child>> JobProcesses::start(const std::string& role, std::int64_t index, bool resume) {
  const bool is_spare = role == "worker" && index >= job_.options.integer("workers");
  const RoleProcess process{role, index, job_.run.flags(), address_, job_.log_flags, resume, is_spare ? "spare" : ""};
  if (!agents_.empty() && (role == "worker" || role == "kvstore")) return start_remote(process);
  Child::Settings settings = settings_of(process, job_.run);
  for (std::string& flag : network_flags(job_.network, role == "coordinator"))
    settings.arguments.push_back(std::move(flag));
  return Child::start(settings);
}

Result<std::unique_ptr<Child>> JobProcesses::start_remote(const RoleProcess& process) {
  ROTA_ASSIGN(auto flags, read_whole_file(job_.run.flags(), kFlagsBytesMax));
  ROTA_ASSIGN(auto keys, keys_of(process.role, job_.network.keys));
  const auto number = [&](const char* name) { return static_cast<std::size_t>(job_.options.integer(name)); };
  const std::size_t count = process.role == "worker" ? number("workers") + number("spares") : number("stores");
  const std::size_t machine = machine_of(job_.network.machines, static_cast<std::size_t>(process.index), count);
  if (const auto& connection = agents_[machine].connection; !connection || !connection->is_open())
    ROTA_TRY(connect(machine));
  return agents_[machine].connection->start({process, job_.run.path, std::move(flags), std::move(keys), place_});
}

Status JobProcesses::connect(std::size_t machine) {
  const Network& network = job_.network;
  const auto span = [&](const char* name) {
    return static_cast<Nanoseconds>(job_.options.real(name) * static_cast<double>(kSecond));
  };
  const std::string name = "agent-" + std::to_string(machine);
  ROTA_ASSIGN(auto arguments, network.remote_arguments(machine, {"agent"}));
  ROTA_ASSIGN(agents_[machine].connection, AgentConnection::open({.machine = network.machines[machine],
                                                                  .ssh = network.ssh,
                                                                  .arguments = std::move(arguments),
                                                                  .log = job_.run.log(name),
                                                                  .name = name,
                                                                  .start_timeout = span("start_timeout_seconds"),
                                                                  .silence = span("peer_timeout_seconds"),
                                                                  .reached_before = agents_[machine].reached},
                                                                 now_ns()));
  return {};
}

void JobProcesses::add_polls(std::vector<pollfd>& polls) const {
  for (const auto& [connection, reached] : agents_)
    if (connection && connection->is_open())
      polls.push_back({connection->fd(), static_cast<short>(POLLIN | (connection->wants_to_write() ? POLLOUT : 0)), 0});
}

void JobProcesses::work() {
  for (auto& [connection, reached] : agents_) {
    if (!connection) continue;
    connection->work(now_ns());
    reached = reached || connection->greeted();
  }
}

bool JobProcesses::learn_address() {
  const auto address = job_.run.read_address();
  if (address) address_ = *address;
  return address.has_value();
}

}  // namespace rota
