// core/runtime/observe.h -- asks a running coordinator for the run's status.
#pragma once
#include <filesystem>
#include <string>

#include "core/base/status.h"

namespace rota {

// A JSON object.  `keys`: their folder, for tcp.  ExitCode::temporary if no answer arrives in time, usage if the
// address is invalid, not_authorised if the keys do not fit.  `assigns_worker`: `next_worker` of the answer is for the
// caller alone.
Result<std::string> ask_status(const std::string& coordinator, int timeout_ms, const std::filesystem::path& keys = {},
                               bool assigns_worker = false);

}  // namespace rota
