// coordinator/run_recorder.h -- writes the run's folder: metrics, events, the log line of every epoch, commit records,
// the published model and the result.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/job_settings.h"
#include "coordinator/records.h"

namespace rota {

// `report`: every record also goes to stdout as a JSON line, for the launcher.  `behind`: the epoch behind which a
// resumed run continues; metrics of later ones are dropped, because those epochs will be computed again.
Result<std::shared_ptr<Recorder>> open_run_recorder(const JobSettings& settings, bool report,
                                                    std::optional<Epoch> behind);

// The newest committed epoch in the folder whose files are all there with the right hashes; what is wrong with those
// passed over is logged.  ExitCode::no_input if none was ever committed, usage if it belongs to other options.  If
// some were and none can be used, disk, or wrong_version if that is what is wrong with all of them.
Result<CommitRecord> newest_commit(const RunFolder& run, const Hash128& job);

}  // namespace rota
