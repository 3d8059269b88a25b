// core/base/option_value.h -- an option's value as its declaration wants it.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

// The value as it is kept, or why it cannot be (ExitCode::usage: flag, value, bounds, unit).
Result<std::string> checked_value(const Option& option, std::string_view value);

// "2 .. 65535", "at least 1", or "".
std::string shown_bounds(const Option& option);

// An option that was given and does not count.
struct IgnoredOption {
  std::string option;
  std::string why;  // "it is for --solver=sgd"

  std::string text() const { return "--" + option + " changes nothing: " + why; }
};

// The options of the table that have another value than their default and do not count (Option::needs).  Calls their
// predicates, which may be a plugin's and throw.
std::vector<IgnoredOption> ignored_options(std::span<const Option> table, const Options& options);

// Of a file that was named from the folder that the process is in.
std::string absolute_path(std::string_view path);

}  // namespace rota
