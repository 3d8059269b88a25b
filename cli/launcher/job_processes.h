// cli/launcher/job_processes.h -- starts the processes of a job, on this machine or with --hosts on others too.
#pragma once
#include <poll.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/launcher/network.h"
#include "cli/launcher/progress.h"
#include "cli/processes/child.h"
#include "cli/remote/agent_connection.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"
#include "rota/options.h"

namespace rota {

struct LocalJob {
  RunFolder run;  // its flags.txt and log folder are there
  Options options;
  std::vector<std::string> log_flags;  // glog's, for all processes
  bool resume = false;
  Network network = {};
  ProgressForm progress = ProgressForm::lines;
};

class JobProcesses {
 public:
  explicit JobProcesses(const LocalJob& job) : job_(job), agents_(job.network.machines.size()) {}
  // The agents end, and with them what they started that still runs.
  ~JobProcesses();

  // Before the first start.  The coordinator's address is in `sockets`, or that of the network.
  Status prepare(const std::filesystem::path& sockets);
  Result<std::unique_ptr<Child>> start(const std::string& role, std::int64_t index, bool resume);

  // Reads where the coordinator really listens: its port may be any.  False if it does not listen yet.
  bool learn_address();

  // The connections to other machines.  Processes there start, and are seen to have ended, in work().
  void add_polls(std::vector<pollfd>& polls) const;
  void work();

 private:
  // Connects to the machine first, if that is not done or the connection was lost.
  Result<std::unique_ptr<Child>> start_remote(const RoleProcess& process);
  Status connect(std::size_t machine);

  struct Agent {
    std::shared_ptr<AgentConnection> connection;
    bool reached = false;
  };

  const LocalJob& job_;
  std::string address_;        // of the coordinator
  std::vector<Agent> agents_;  // by machine; none without --hosts
  std::string place_;          // of the run's folder, for them
};

}  // namespace rota
