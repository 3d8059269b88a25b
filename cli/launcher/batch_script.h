// cli/launcher/batch_script.h -- the batch script of `rota train --sbatch`.
#pragma once
#include <string>
#include <vector>

#include "core/base/status.h"

namespace rota {

struct BatchJob {
  std::string app;                   // for the job's name
  std::vector<std::string> command;  // the program and its arguments, absolute paths
  std::string log;                   // file of the job's output
  std::string arguments;             // of sbatch, separated by blanks: "--nodes=4 --time=1:00:00 -A account"
};

// Continues the run each time that Slurm starts it.  When the job is preempted or its time is over, it ends after a
// checkpoint and is queued again; when it is cancelled, it is not.  ExitCode::usage for a line break in a text, or for
// arguments that are no options.
Result<std::string> batch_script(const BatchJob& job);

// Runs sbatch with the script, and prints what it prints.
Status submit(const std::string& script);

}  // namespace rota
