#include "cli/remote/agents.h"

#include <algorithm>

namespace rota {

namespace {

constexpr Nanoseconds kFinishSpan = 3 * kSecond;
constexpr int kFinishPollMs = 20;

}  // namespace

Agents::Agents(Settings settings) : settings_(std::move(settings)), places_(settings_.machines.size()) {}

Agents::~Agents() {
  for (Place& place : places_)
    if (place.connection) place.connection->finish();
  const auto gone = [&] {
    return std::all_of(places_.begin(), places_.end(),
                       [](Place& place) { return !place.connection || place.connection->ssh_ended(); });
  };
  for (const Nanoseconds until = now_ns() + kFinishSpan; !gone() && now_ns() < until;) {
    work();
    ::poll(nullptr, 0, kFinishPollMs);
  }
  for (Place& place : places_)
    if (place.connection) place.connection->kill_ssh();
}

Result<Child> Agents::start(const RoleStart& what, std::size_t count) {
  const std::size_t at = machine_of(settings_.machines, static_cast<std::size_t>(what.index), count);
  Place& place = places_[at];
  if (!place.connection || !place.connection->is_open()) {
    AgentConnection::Settings settings;
    settings.machine = settings_.machines[at];
    settings.ssh = settings_.ssh;
    settings.rota = settings_.rota;
    settings.name = "agent-" + std::to_string(at);
    settings.log = settings_.log / (settings.name + ".log");
    settings.start_timeout = settings_.start_timeout;
    settings.silence = settings_.silence;
    settings.reached_before = place.reached;
    auto connection = AgentConnection::open(settings, now_ns());
    if (!connection.ok()) return std::move(connection).status();
    place.connection = std::move(connection).value();
  }
  return place.connection->start(what);
}

void Agents::add_polls(std::vector<pollfd>& polls) const {
  for (const Place& place : places_)
    if (place.connection && place.connection->is_open())
      polls.push_back(
          {place.connection->fd(), static_cast<short>(POLLIN | (place.connection->wants_to_write() ? POLLOUT : 0)), 0});
}

void Agents::work() {
  for (Place& place : places_) {
    if (!place.connection) continue;
    place.connection->work(now_ns());
    place.reached = place.reached || place.connection->greeted();
  }
}

}  // namespace rota
