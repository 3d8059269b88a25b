#include "core/runtime/listening.h"

#include <unistd.h>

#include "core/base/loopback.h"

namespace rota {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

namespace {

// The address that this process advertises.
Result<std::string> host_of(NodeId process, const JobConfig& config, const TcpAddress& coordinator) {
  if (!config.host.empty()) {
    auto host = tcp_place(config.host);
    if (!host.ok() || host->port != 0 || host->host == kAllInterfaces)
      return Status(ExitCode::usage, "--host: '" + config.host + "' is neither a name nor a number of a host");
    return host->host;
  }
  if (process != kCoordinator) return number_towards(coordinator);
  return coordinator.host == kAllInterfaces ? host_name() : coordinator.host;
}

Result<Listening> over_tcp(NodeId process, const JobConfig& config) {
  ROTA_ASSIGN(const TcpAddress coordinator, tcp_address(config.coordinator).in("--coordinator"));
  const bool is_coordinator = process == kCoordinator;
  if (!is_coordinator && (coordinator.host == kAllInterfaces || coordinator.port == 0))
    return Status(ExitCode::usage, "--coordinator: " + config.coordinator +
                                       " is where one listens; others need a host and a port to reach");
  ROTA_ASSIGN(const std::string host, host_of(process, config, coordinator));
  const bool everywhere = (is_coordinator && coordinator.host == kAllInterfaces) || !is_loopback(host);
  const std::string bind = !config.bind.empty() ? config.bind : everywhere ? std::string(kAllInterfaces) : host;
  ROTA_ASSIGN(const TcpAddress place, tcp_place(bind).in("--bind"));
  Listening listening;
  ROTA_ASSIGN(listening.numbers, own_numbers(place.host));
  const std::uint16_t port = is_coordinator ? coordinator.port : std::uint16_t{0};
  listening.port = place.port != 0 ? place.port : port;
  listening.advertised = {host, port};
  return listening;
}

}  // namespace

Result<Listening> listening_of(NodeId process, const JobConfig& config, std::uint64_t incarnation) {
  const std::string& at = config.coordinator;
  if (at.starts_with(kTcpScheme)) {
    if (config.keys.empty() && !config.insecure)
      return Status(
          ExitCode::usage,
          "tcp wants keys: --keys=DIR (`rota keys DIR` makes them), or --insecure if everybody on that network "
          "may be trusted");
    return over_tcp(process, config);
  }
  if (!at.starts_with(kIpcScheme))
    return Status(ExitCode::usage, "--coordinator must be ipc://PATH or tcp://HOST:PORT, not '" + at + "'");
  Listening listening;
  listening.ipc = at;
  if (process != kCoordinator)
    listening.ipc = at.substr(0, at.rfind('/') + 1) + process.name() + "-" + std::to_string(incarnation % 1000000000);
  return listening;
}

}  // namespace rota
