// core/runtime/observe.h -- asks a running coordinator how the run goes.
#pragma once
#include <string>

#include "core/base/status.h"

namespace rota {

// A JSON object.  ExitCode::temporary if nobody answers in time, usage if the address is none.
Result<std::string> ask_status(const std::string& coordinator, int timeout_ms);

}  // namespace rota
