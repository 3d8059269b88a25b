// cli/launcher/run_job.h -- what `rota train` and `rota resume` share once the folder of the run is prepared.
#pragma once
#include "cli/launcher/supervise.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// Trains to the end, writes the text form of the model, and prints the result.
Status run_job(const LocalJob& job, const Plugin& plugin);

// Whether the text form of the run's model is there and whole.
bool has_text(const RunFolder& run);
// Writes it.  The run's events record how it ended: if that fails, `rota`'s own exit code is not the coordinator's.
Status write_text(const RunFolder& run, const Plugin& plugin);

// Writes the plugin's text form of a model into the folder it is in, over an earlier one.  ExitCode::bad_data if
// another app made the model.
Status export_model(const Plugin& plugin, const std::filesystem::path& run_or_model);

}  // namespace rota
