// cli/remote/agents.h -- the machines of a job (--hosts), each with an agent that starts processes there.
#pragma once
#include <poll.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/remote/agent_connection.h"

namespace rota {

class Agents {
 public:
  struct Settings {
    std::vector<Machine> machines;
    std::string ssh, rota;
    std::filesystem::path log;  // folder of the run's logs
    Nanoseconds start_timeout, silence;
  };

  explicit Agents(Settings settings);
  // All agents end, and with them whatever they started that still runs.
  ~Agents();

  // Starts the index-th of `count` processes of its role, on the machine where it belongs; connects to it first if that
  // is not done or the connection was lost.
  Result<Child> start(const RoleStart& what, std::size_t count);

  void add_polls(std::vector<pollfd>& polls) const;
  // To be called often: processes start, and are seen to have ended, in here.
  void work();

 private:
  struct Place {
    std::shared_ptr<AgentConnection> connection;
    bool reached = false;
  };

  Settings settings_;
  std::vector<Place> places_;
};

}  // namespace rota
