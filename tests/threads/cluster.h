// tests/threads/cluster.h -- a whole cluster in one program: the real nodes, hosts, links and process loops, each loop
// in a thread of its own with its compute threads and its thread for files, over the memory between them (ZeroMQ is
// not built for ThreadSanitizer), with checkpoints on disk.
#pragma once
#include <filesystem>
#include <optional>

#include "core/records/records.h"
#include "tests/sim/cluster.h"

namespace rota::threads {

struct Outcome {
  ExitCode code = ExitCode::failed;
  std::string what;
  std::optional<CommitRecord> newest;
};

// The folder of a process with its own disk: a share above 0 in `shape` gives one to all.
std::filesystem::path own_disk_of(const std::filesystem::path& run, NodeId process);

// Runs the job of `shape` to its end; `run` is its folder.  All processes have the same number of compute threads.
Outcome run_cluster(const sim::Shape& shape, unsigned threads, const std::filesystem::path& run);

// The model of the same job in one thread.
Hash128 calm_hash(sim::Shape shape);

}  // namespace rota::threads
