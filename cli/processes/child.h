// cli/processes/child.h -- a process that this one started, here or by an agent on another machine, watches and ends.
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

// The path of a program: a name that PATH has, or a path already.  ExitCode::usage if there is none.
Result<std::filesystem::path> program_named(const std::string& name);

class Child {
 public:
  struct Settings {
    std::string name;  // "worker-0"
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path log;  // takes stderr, and stdout unless `output` is set
    int input = -1;             // a descriptor for stdin; stays the caller's.  -1: it has none
    int output = -1;            // the same for stdout
  };

  // Starts one of this machine.  The child is in a process group of its own (Ctrl-C does not reach it), and dies if
  // this process does.  Call from the main thread: it is that thread's end that ends the child.
  static Result<std::unique_ptr<Child>> start(const Settings& settings);
  virtual ~Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& name() const { return name_; }
  const std::filesystem::path& log() const { return log_; }  // of this machine; "": it has none here
  virtual pid_t pid() const = 0;                             // where it runs; 0 if it is not known yet

  // Looks, without waiting, and reaps it if it has ended.
  virtual bool ended() = 0;
  // Nothing happens if it has ended.
  virtual void signal(int number) = 0;

  // How it ended; only after ended() said so.
  virtual int status() const = 0;  // waitpid's
  bool killed() const;             // by a signal
  int exit_code() const;           // as a caller sees it: 0 .. 255, or 128 + signal
  // For people: "exit code 70", "signal 9 (Killed)", "exit code 70 on b".
  virtual std::string how() const;
  virtual std::string log_end(std::size_t lines) const { return last_lines(log_, lines); }

 protected:
  Child(std::string name, std::filesystem::path log) : name_(std::move(name)), log_(std::move(log)) {}

 private:
  std::string name_;
  std::filesystem::path log_;
};

// The first process of a container adopts those whose parents have ended, such as what a plugin started: reaps them.
void reap_adopted();

// Signals as readable events.  While it lives: SIGINT, SIGTERM, SIGHUP and SIGCHLD, blocked in this thread, so that
// none is lost between two looks.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&wanted, number);
    ::sigprocmask(SIG_BLOCK, &wanted, &before_);
    fd_ = FileDescriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  // Until there is one, at most so long.
  void wait(Nanoseconds most) const {
    pollfd wait{fd(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(most / kMillisecond));
  }
  // The next one; 0 if there is none.
  int take() const {
    signalfd_siginfo info = {};
    if (::read(fd(), &info, sizeof info) != sizeof info) return 0;
    if (info.ssi_signo == SIGCHLD) reap_adopted();
    return static_cast<int>(info.ssi_signo);
  }

 private:
  sigset_t before_ = {};
  FileDescriptor fd_;
};

// The command line of a process of a job.
struct RoleProcess {
  std::string role;  // "coordinator", "scheduler", "worker" or "kvstore"
  std::int64_t index = 0;
  std::filesystem::path flags;  // the job's flags.txt, or a copy
  std::string coordinator;      // its address
  std::vector<std::string> log_flags;
  bool resume = false;
  std::string joins;  // "new", "spare", or "" for a process of the job's own number

  std::string name() const { return role + "-" + std::to_string(index); }
};

// Its log is in `run`.  More arguments may follow: a later flag wins.
Child::Settings settings_of(const RoleProcess& process, const RunFolder& run);

}  // namespace rota
