// cli/processes/signals.h -- signals as readable events.
#pragma once
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/files.h"

namespace rota {

// While it lives: SIGINT, SIGTERM, SIGHUP and SIGCHLD, blocked in this thread, so that none is lost between two looks.
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
  // The next one; 0 if there is none.
  int take() const {
    signalfd_siginfo info = {};
    return ::read(fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_ = {};
  FileDescriptor fd_;
};

}  // namespace rota
