#include "cli/processes/parent_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "core/base/files.h"

namespace rota {

namespace {

constexpr int kGraceMs = 10'000;  // for the end of an epoch, and its checkpoint

// Not PR_SET_PDEATHSIG: that is the end of the thread that started this process, and a Python program has many.
void wait_for_end(FileDescriptor parent) {
  pollfd wait{parent.get(), POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) continue;
  ::kill(::getpid(), SIGTERM);
  ::poll(nullptr, 0, kGraceMs);
  ::kill(::getpid(), SIGTERM);
}

}  // namespace

Status watch_parent(const Options& options) {
  const auto wanted = static_cast<pid_t>(options.integer("parent"));
  if (wanted == 0) return {};
  FileDescriptor parent(static_cast<int>(::syscall(SYS_pidfd_open, wanted, 0)));
  const int error = errno;
  if (!parent.open() && error != ESRCH)
    return {ExitCode::failed, "--parent: cannot watch it: " + std::generic_category().message(error)};
  if (::getppid() != wanted) {
    // Another process has its number, or none: who started this one has ended, unless it gave a wrong number.
    if (!parent.open()) ::raise(SIGTERM);
    return {ExitCode::usage, "--parent=" + std::to_string(wanted) + " did not start this process"};
  }
  // The main thread takes the signals.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread(wait_for_end, std::move(parent)).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
}

}  // namespace rota
