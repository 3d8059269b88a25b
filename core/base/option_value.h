// core/base/option_value.h -- an option's value as its declaration wants it.
#pragma once
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

// The value as it is kept, or why it cannot be (ExitCode::usage: flag, value, bounds, unit).
Result<std::string> checked_value(const Option& option, std::string_view value);

// "2 .. 65535", "at least 1", or "".
std::string shown_bounds(const Option& option);

// Of a file that was named from the folder that the process is in.
std::string absolute_path(std::string_view path);

}  // namespace rota
