// core/job/job_settings.h -- a job's options as the roles use them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/base/flags.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/job/on_loss.h"
#include "core/job/run_folder.h"
#include "rota/job.h"

namespace rota {

struct JobSettings {
  Job job;       // what plugins see; its input is empty unless asked for
  Hash128 hash;  // of the options that make the model: equal in all processes, and before and after a resume
  std::string app;
  RunFolder run;
  // Where checkpoints are kept, if this machine does not see the run's folder; "": in that.
  std::filesystem::path own_disk;
  std::uint32_t workers = 1, threads = 1, stores = 0, partitions = 1;
  Epoch epochs = 1, eval_every = 1, checkpoint_every = 1;
  Nanoseconds checkpoint_spacing = 0, step_budget = 0, peer_timeout = 0, start_timeout = 0;
  Nanoseconds rejoin_timeout = 0;
  OnLoss on_loss = OnLoss::restart;
  std::uint32_t min_workers = 1;
  bool rebalance = true;
  std::uint32_t patience = 0;
  bool asynchronous = false;
  std::size_t message_bytes_max = 0;
  bool insecure = false;
  std::string plugin_dir;
};

// How many files and connections a process of such a job may open at once, about.
std::size_t descriptors_needed(const Options& options);

// From a command line that parse_job_flags took.  With `read_input`, finds the input's files too (ExitCode::no_input).
Result<JobSettings> job_settings(const CommandLine& line, bool read_input);

}  // namespace rota
