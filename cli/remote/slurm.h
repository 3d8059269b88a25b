// cli/remote/slurm.h -- the allocation of Slurm that this process runs in: its machines, and srun in ssh's place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/remote/hosts.h"
#include "core/base/status.h"

namespace rota {

struct Allocation {
  std::vector<Machine> machines;  // of all groups of a heterogeneous job; slots are the tasks of each node
  std::int64_t threads = 1;       // of a task: --cpus-per-task
};

// Whether this process runs in an allocation, Slurm's programs are there (in a container they may be missing), and srun
// has not started several of it.
bool in_allocation();

// From the variables that Slurm sets, and `scontrol` for the names and addresses of nodes.  ExitCode::usage outside an
// allocation, or as one of several tasks of a step.
Result<Allocation> slurm_allocation();

// Arguments of srun that run `rota WORDS...` on a node, beside other steps, with the cpus of its slots.
std::vector<std::string> srun_arguments(const Machine& machine, std::int64_t threads, std::string_view rota,
                                        const std::vector<std::string>& words);

// "2(x3),1": 2 2 2 1.  ExitCode::usage if it is no such list.
Result<std::vector<std::size_t>> expand_counts(std::string_view text);

}  // namespace rota
