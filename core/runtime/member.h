// core/runtime/member.h -- what the mains of scheduler, worker and kvstore have in common: flags, plugin, log, and the
// loop.
#pragma once
#include <functional>
#include <memory>

#include "core/job/hosted_app.h"
#include "core/job/job_config.h"
#include "core/runtime/host.h"
#include "core/runtime/process.h"
#include "rota/plugin.h"

namespace rota {

// The model that a job begins with, if it does (core/checkpoint/model_reader.h, which is above this).
using OpenInitial = Result<std::shared_ptr<const Model>> (*)(const Plugin&, const Options&);

// One process of a job, ready to join.
struct Member {
  JobConfig config;
  const Plugin* plugin = nullptr;
  OpenInitial initial = nullptr;
  std::shared_ptr<const HostedApp> app;  // none: not made yet

  // Makes the app, in place of one that was there, and before it opens the model that it begins with.  Calls the
  // plugin.
  Status make_app();
};
// Makes a process' nodes; `before`: those of the attempt that a run has gone back from.
using MakeNodes = std::function<Result<Host::Nodes>(Member&, const Welcome&, Host::Nodes before)>;

// The whole of a main: returns the exit code.  `make` is called once the coordinator has admitted the process, and in
// every later era.
int member_main(int argc, const char* const* argv, Role role, OpenInitial initial, const MakeNodes& make);

// Opens the log; says on stderr why a process ends, if it is not for a good reason.
Status open_log(const CommandLine& line, const JobConfig& config, NodeId process);
int end_process(NodeId process, const Ending& ending);
// Help, version, or an error of the command line.
int say_and_exit(const std::string& program, const Result<CommandLine>& line);

}  // namespace rota
