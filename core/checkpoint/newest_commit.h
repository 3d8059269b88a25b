// core/checkpoint/newest_commit.h -- the epoch that a run is resumed from.
#pragma once
#include <optional>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"
#include "core/records/records.h"

namespace rota {

struct ToResume {
  CommitRecord newest;
  std::optional<CommitRecord> best;  // of the epoch with the best score, if the newest records one (--patience)
};

// The newest committed epoch in the folder whose files are all there with the right hashes, and those of the best epoch
// that it records; what is wrong with those passed over is logged.  ExitCode::no_input if none was ever committed,
// usage if it belongs to other options.  If some were and none can be used, disk, or wrong_version if that is what is
// wrong with all of them.
Result<ToResume> newest_commit(const RunFolder& run, const Hash128& job);

}  // namespace rota
