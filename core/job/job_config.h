// core/job/job_config.h -- the options of one process of a job, parsed once; all that runs in it refers to this.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/flags.h"
#include "core/base/hash.h"
#include "core/base/option_value.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"
#include "rota/plugin.h"

namespace rota {

// What the loss of a process leads to.
enum class OnLoss {
  restart,  // the run waits until it is restarted
  move,     // so it does for schedulers and stores; a worker's shards move to the other workers
  stop,     // the run ends
};

// A Job is what plugins see of it; its input is empty unless asked for.
struct JobConfig : Job {
  JobConfig() = default;
  JobConfig(Job job) : Job(std::move(job)) {}  // the rest has its defaults

  std::vector<IgnoredOption> ignored;  // which were given, and have their defaults here
  Hash128 hash;  // of the options that make the model: equal in all processes, and before and after a resume
  std::string app;
  RunFolder run;
  std::uint32_t workers = 1, stores = 0, partitions = 1;  // without stores the workers host partitions
  Epoch epochs = 1;                                       // 0: the default of the app
  Epoch eval_every = 1;                                   // 0: only after the last epoch
  Epoch checkpoint_every = 1;                             // 0: only after the last epoch
  Nanoseconds checkpoint_spacing = 0;
  std::uint32_t patience = 0;   // evaluations without a better score of held-out data that end the job; 0: any number
  bool asynchronous = false;    // a push sees whatever commits have arrived
  Nanoseconds step_budget = 0;  // time control; 0: none
  OnLoss on_loss = OnLoss::restart;
  std::uint32_t min_workers = 1;  // with fewer the run waits for others
  bool rebalance = true;          // shards move away from workers that are slow for long
  Nanoseconds peer_timeout = 30 * kSecond, start_timeout = 60 * kSecond;
  Nanoseconds rejoin_timeout = 60 * kSecond;              // how long a missing process is awaited
  std::size_t message_bytes_max = std::size_t{64} << 20;  // on the wire: larger ones travel in pieces

  // Of this process alone.
  std::uint32_t index = 0;
  std::string coordinator;  // its address, "ipc://PATH" or "tcp://HOST:PORT"
  std::string host, bind;   // for tcp: how others reach this machine, and where to listen; "": core/runtime/listening.h
  std::filesystem::path keys;  // folder of them, for tcp; "": none
  bool insecure = false;       // tcp without keys must be asked for
  std::string joins;           // "named", "new" or "spare"
  // Where checkpoints are kept, if this machine does not see the run's folder; "": in that.
  std::filesystem::path own_disk;
};

// How many files and connections a process of such a job may open at once, about.
std::size_t descriptors_needed(const Options& options);

// From a command line that parse_job_flags took.  With `read_input`, finds the input's files too (ExitCode::no_input).
// Without a plugin it is not known which options are ignored.  Calls the plugin, which may throw: then a status as
// call_hook() makes it.
Result<JobConfig> job_config(const CommandLine& line, bool read_input, const Plugin* plugin);

}  // namespace rota
