// cli/child.h -- a process that this one started, ends and reaps.
#pragma once
#include <sys/types.h>

#include <boost/process/child.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace rota {

class Child {
 public:
  struct Settings {
    std::string name;  // "worker-0"
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path log;  // takes stderr, and stdout unless `output` is set
    int output = -1;            // a descriptor for stdout; stays the caller's
  };

  // The child is in a process group of its own (Ctrl-C does not reach it), has no stdin, and dies if this process
  // does.  Call from the main thread: it is that thread's end that ends the child.
  static Result<Child> start(const Settings& settings);

  const std::string& name() const { return name_; }
  const std::filesystem::path& log() const { return log_; }
  pid_t pid() const { return process_.id(); }

  // Looks, without waiting, and reaps it if it has ended.
  bool ended();
  // Nothing happens if it has ended.
  void signal(int number);

  // How it ended; only after ended() said so.
  bool killed() const;    // by a signal
  int exit_code() const;  // as a caller sees it: 0 .. 255, or 128 + signal
  // For people: "exit code 70", "signal 9 (Killed)".
  std::string how() const;

 private:
  Child(const Settings& settings, boost::process::child process)
      : name_(settings.name), log_(settings.log), process_(std::move(process)) {}

  std::string name_;
  std::filesystem::path log_;
  boost::process::child process_;
  bool ended_ = false;
};

}  // namespace rota
