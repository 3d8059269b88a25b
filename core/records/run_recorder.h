// core/records/run_recorder.h -- writes the run's folder: metrics, events, the log line of every epoch, commit records,
// the published model and the result.
#pragma once
#include <memory>
#include <optional>

#include "core/job/job_config.h"
#include "core/records/records.h"

namespace rota {

// `after`: the epoch after which a resumed run continues; metrics of later ones are dropped, because those epochs
// will be computed again.  `best`: the best epoch until then, if there is one.
Result<std::shared_ptr<Recorder>> open_run_recorder(const JobConfig& config, std::optional<Epoch> after,
                                                    std::optional<Epoch> best = {});

}  // namespace rota
