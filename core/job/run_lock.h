// core/job/run_lock.h -- one coordinator and one `rota` at a time in a run's folder; and the number of an attempt at
// the run, which distinguishes what belongs to an earlier one.
#pragma once
#include <cstdint>

#include "core/base/files.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

// Holds the lock while it lives; the system releases it when the process ends.  Waits some seconds for one that is
// ending.  ExitCode::cannot_write if another coordinator is at work there.
Result<FileDescriptor> lock_run(const RunFolder& run);

// Keeps other `rota` processes out of the folder while it lives.  ExitCode::cannot_write if one is there already.
Result<FileDescriptor> claim_folder(const std::filesystem::path& folder);

// One more than of any earlier attempt in this folder, and durable when this returns; from 1.  The caller holds the
// lock of the run.
Result<std::uint64_t> begin_era(const RunFolder& run);

}  // namespace rota
