// rota/error.h -- the exceptions with an exit code that a plugin's hook throws when it cannot continue.
//
// Any std::exception stops the job with exit code 1, naming plugin, hook and round.  Those below have exit codes of
// their own, which users' scripts rely on.
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
  // A text that names the file.
  explicit DataError(const std::string& what) : std::runtime_error(what) {}
};

// The user's options contradict each other, or do not fit the data: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An input file does not exist or cannot be opened: exit 66.
class NoInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The app's own code is wrong: exit 70, "plugin, hook, round: what".
class AppFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An input could not be read to its end, or not by this user: exit with the code of the reason, 74, 75 or 77.
class ReadError : public std::runtime_error {
 public:
  ReadError(int exit_code, const std::string& what) : std::runtime_error(what), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace rota
