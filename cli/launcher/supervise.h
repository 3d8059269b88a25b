// cli/launcher/supervise.h -- starts the processes of a job, on this machine or with --hosts on others too, watches
// them, and ends them all.
#pragma once
#include "cli/launcher/job_processes.h"
#include "cli/launcher/progress.h"
#include "core/base/status.h"

namespace rota {

// Runs the job to its end.  The coordinator decides how that is: the Status has its exit code and message; a
// coordinator that dies without a result is a bug or, if killed from outside, ExitCode::temporary.  When this returns,
// no process is left.
//
// SIGINT, SIGTERM and SIGHUP are passed on to the coordinator, which ends the job after a checkpoint (ExitCode
// interrupted or terminated), however long its epoch lasts; a second one ends it now; a third, or ten seconds without
// an end, kills.
Status supervise(const LocalJob& job, Progress& progress);

}  // namespace rota
