// core/base/exit_code.h -- what a process reports to its caller at exit.  Part of the user's contract: the numbers
// are those of sysexits.h where it has one, so that systemd, Slurm and Kubernetes can act on them.
#pragma once

namespace rota {

enum class ExitCode : int {
  ok = 0,
  failed = 1,         // the run failed
  usage = 2,          // unknown flag, bad value, options that do not go together
  bad_data = 65,      // "file:line: what"
  no_input = 66,      // an input file is missing
  bug = 70,           // ours
  cannot_write = 73,  // the output folder cannot be made or holds something else
  disk = 74,          // reading or writing failed
  temporary = 75,     // a peer was lost: try again
  not_authorised = 77,
  wrong_version = 78,  // plugin, peer or checkpoint of another version
  interrupted = 130,   // SIGINT, after a clean checkpoint
  terminated = 143,    // SIGTERM, after a clean checkpoint
};

}  // namespace rota
