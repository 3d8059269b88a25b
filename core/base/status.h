// core/base/status.h -- errors as values.  Rota's own code does not throw; plugins may (core/job/plugin_host.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"

namespace rota {

// What a process reports to its caller at exit.  Part of the user's contract: the numbers are those of sysexits.h where
// it has one, so that systemd, Slurm and Kubernetes can act on them.
enum class ExitCode : int {
  ok = 0,
  failed = 1,         // the run failed
  usage = 2,          // unknown flag, bad value, options that do not go together
  bad_data = 65,      // "file:line: what"
  no_input = 66,      // an input file is missing
  bug = 70,           // ours
  cannot_write = 73,  // the output folder cannot be made or holds something else
  disk = 74,          // reading or writing failed
  temporary = 75,     // a peer was lost: try again
  not_authorised = 77,
  wrong_version = 78,  // plugin, peer or checkpoint of another version
  interrupted = 130,   // SIGINT, after a clean checkpoint
  terminated = 143,    // SIGTERM, after a clean checkpoint
};

// Success, or what went wrong and the exit code it means if unhandled.
class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  Status(ExitCode code, std::string what) : code_(code), what_(std::move(what)) { ROTA_CHECK(code != ExitCode::ok); }

  bool ok() const { return code_ == ExitCode::ok; }
  ExitCode code() const { return code_; }
  const std::string& what() const { return what_; }
  // The same error with where it happened in front: "partition 2: cannot open ...".
  Status in(std::string_view where) && {
    if (!ok()) what_ = std::string(where) + ": " + what_;
    return std::move(*this);
  }

 private:
  ExitCode code_ = ExitCode::ok;
  std::string what_;
};

// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { ROTA_CHECK(!status_.ok()); }

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }
  // The same with where an error happened in front of it.
  Result in(std::string_view where) && {
    status_ = std::move(status_).in(where);
    return std::move(*this);
  }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

#define ROTA_TRY(expression)                                        \
  do {                                                              \
    if (auto status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// ROTA_ASSIGN(const auto fd, open_file(path, O_RDONLY)): takes the value of a Result, or returns its error.  More than
// one statement.
#define ROTA_ASSIGN(to, ...) ROTA_ASSIGN_AT(__LINE__, to, __VA_ARGS__)
#define ROTA_ASSIGN_AT(line, ...) ROTA_ASSIGN_BY(line, __VA_ARGS__)
#define ROTA_ASSIGN_BY(line, to, ...)                                \
  auto result_##line = __VA_ARGS__;                                  \
  if (!result_##line.ok()) return std::move(result_##line).status(); \
  to = *std::move(result_##line)

}  // namespace rota
