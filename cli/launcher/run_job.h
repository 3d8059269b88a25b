// cli/launcher/run_job.h -- what `rota train` and `rota resume` share once the folder of the run is prepared.
#pragma once
#include "cli/launcher/job_processes.h"
#include "cli/launcher/progress.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// Runs the processes of a job to its end.  The coordinator decides how that is: the Status has its exit code and
// message; a coordinator that dies without a result is a bug or, if killed from outside, ExitCode::temporary.  When
// this returns, no process is left.
//
// SIGINT, SIGTERM and SIGHUP are passed on to the coordinator, which ends the job after a checkpoint (ExitCode
// interrupted or terminated), however long its epoch lasts; a second one ends it now; a third, or ten seconds without
// an end, kills.
Status supervise(const LocalJob& job, Progress& progress);

// Trains to the end, writes the text form of the model, and prints the result.
Status run_job(const LocalJob& job, const Plugin& plugin);

// Writes the text form of the run's model.  The run's events record how it ended: if that fails, `rota`'s own exit
// code is not the coordinator's.
Status write_text(const RunFolder& run, const Plugin& plugin, Progress& progress);

// The result of a finished run, or with ProgressForm::json as an object with "event": "result" on stdout.
Status print_result(const RunFolder& run, ProgressForm form);

}  // namespace rota
