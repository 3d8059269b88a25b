// rota/error.h -- what a plugin's hook throws when it cannot go on.
//
// Any std::exception stops the job with exit code 1, naming plugin, hook and round.  These two carry the
// exit code that users' scripts rely on.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace rota {

// The user's data is wrong: exit 65, "file:line: what".  Lines count from 1; 0 means the file as a whole.
class DataError : public std::runtime_error {
 public:
  DataError(const std::string& file, std::uint64_t line, const std::string& what)
      : std::runtime_error(file + (line == 0 ? "" : ":") + (line == 0 ? "" : std::to_string(line)) + ": " + what) {}
};

// The user's options do not go together, or do not fit the data: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An input file is not there or cannot be opened: exit 66.
class NoInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rota
