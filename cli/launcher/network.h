// cli/launcher/network.h -- a job of `rota train` over tcp: its own options, and its keys.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/remote/hosts.h"
#include "core/base/flags.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"
#include "rota/options.h"

namespace rota {

// How the processes of a job reach each other: over private sockets of this machine if there is no coordinator's
// address.
struct Network {
  std::string coordinator;  // "tcp://HOST:PORT"
  std::string host, bind;
  std::filesystem::path keys;
  std::string metrics;            // where the coordinator serves them; "": nowhere
  std::vector<Machine> machines;  // that workers and stores run on; none: this one
  std::string ssh, remote_rota;   // how they are reached
  bool slurm = false;             // by srun: they are those of an allocation of Slurm
  std::size_t slots = 0;          // the default of --workers, if machines or an allocation say so; else 0
  std::int64_t threads = 0;       // the same of --threads
  bool coordinator_only = false;  // another launcher starts the other processes (`rota role`)

  // What runs `rota WORDS...` on a machine, for the program `ssh`.
  Result<std::vector<std::string>> remote_arguments(std::size_t machine, const std::vector<std::string>& words) const;
  bool over_tcp() const { return !coordinator.empty(); }
};

// --coordinator, --host, --bind, --keys, --metrics, and those of --hosts, which are no part of the job.
std::span<const Option> network_options();
bool is_network_option(std::string_view name);

// What the options say; over tcp with keys, unless --insecure: those of --keys, or else the run's own, which are made
// if need be.  With --hosts the coordinator has, unless --coordinator is given, the number from which this machine
// reaches them.
Result<Network> network_of(const CommandLine& line, const RunFolder& run);

// The machines of --hosts, or of the Slurm job, alone.
Result<Network> machines_of(const CommandLine& line);

// The flags of one process of this machine; `first` is the coordinator, which alone listens at the port that --bind may
// have.
std::vector<std::string> network_flags(const Network& network, bool first);

// The keys that are there for a run: `given`, or else its own, or none.
std::filesystem::path keys_for(const std::filesystem::path& given, const RunFolder& run);

}  // namespace rota
