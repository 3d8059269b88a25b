// cli/processes/role_process.h -- the command line of a process of a job.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/processes/child.h"
#include "core/job/plugin_host.h"
#include "core/job/run_folder.h"

namespace rota {

struct RoleProcess {
  std::string role;  // "coordinator", "scheduler", "worker" or "kvstore"
  std::int64_t index = 0;
  std::filesystem::path flags;  // the job's flags.txt, or a copy
  std::string coordinator;      // its address
  std::vector<std::string> log_flags;
  bool resume = false;
  std::string joins;  // "new", "spare", or "" for a process of the job's own number
};

// Its log is in `run`.  More arguments may follow: a later flag wins.
inline Child::Settings settings_of(const RoleProcess& process, const RunFolder& run) {
  Child::Settings settings;
  settings.name = process.role + "-" + std::to_string(process.index);
  settings.program = program_folder() / ("rota-" + process.role);
  settings.log = run.log(settings.name);
  settings.arguments = {"--flagfile=" + process.flags.string(), "--coordinator=" + process.coordinator,
                        "--index=" + std::to_string(process.index)};
  if (process.resume) settings.arguments.push_back("--resume");
  if (!process.joins.empty()) settings.arguments.push_back("--joins=" + process.joins);
  settings.arguments.insert(settings.arguments.end(), process.log_flags.begin(), process.log_flags.end());
  return settings;
}

}  // namespace rota
