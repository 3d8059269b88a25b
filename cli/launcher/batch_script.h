// cli/launcher/batch_script.h -- the batch script of `rota train --sbatch`.
#pragma once
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

struct BatchJob {
  std::string app;                   // for the job's name
  std::vector<std::string> command;  // the program and its arguments, absolute paths
  RunFolder run;
  std::string arguments;  // of sbatch, separated by blanks: "--nodes=4 -A account"; ':' between groups
};

// Where its output goes: OUT.slurm.log.
std::string log_of(const BatchJob& job);

// Continues the run each time that Slurm starts it.  When the job is preempted, loses a machine or its time is over, it
// is queued again; not when it is cancelled, nor for ever if no checkpoint is made.  ExitCode::usage for arguments that
// are no options, and for a path of --out that Slurm would read otherwise.
Result<std::string> batch_script(const BatchJob& job);

// Runs sbatch, which prints the number of the job.
Status submit(const std::string& script);

}  // namespace rota
