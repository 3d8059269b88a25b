// core/job/run_lock.h -- one coordinator and one `rota` at a time in a run's folder.
#pragma once
#include "core/base/files.h"
#include "core/job/run_folder.h"

namespace rota {

// Holds the lock while it lives; the system releases it when the process ends.  Waits some seconds for one that is
// ending.  ExitCode::cannot_write if another coordinator is at work there.
Result<FileDescriptor> lock_run(const RunFolder& run);

// Keeps other `rota` processes out of the folder while it lives.  ExitCode::cannot_write if one is there already.
Result<FileDescriptor> claim_folder(const std::filesystem::path& folder);

}  // namespace rota
