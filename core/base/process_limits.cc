#include "core/base/process_limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace rota {

namespace {

constexpr rlim_t kStackNeeded = 256 << 10;

Status too_little(const std::string& what) {
  return {ExitCode::temporary, what};
}

}  // namespace

Status take_limits() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDONLY);
  if (fd >= 0) ::close(fd);
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  struct rlimit stack = {};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStackNeeded)
    return too_little("the limit of a stack is " + std::to_string(stack.rlim_cur >> 10) + " KiB (ulimit -s), and " +
                      std::to_string(kStackNeeded >> 10) + " are needed");
  return {};
}

Status check_threads(std::size_t count) {
  std::latch enough(1);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  std::string why;
  try {
    while (threads.size() < count) threads.emplace_back([&enough] { enough.wait(); });
  } catch (const std::system_error& error) {
    why = error.code().message();
  }
  const std::size_t made = threads.size();
  enough.count_down();
  if (why.empty()) return {};
  return too_little("no more than " + std::to_string(made) + " of " + std::to_string(count) +
                    " threads can be made: " + why + " (limits of memory and processes: ulimit -v, ulimit -u)");
}

Status check_descriptors(std::size_t count) {
  struct rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= count) return {};
  return too_little("a process may open " + std::to_string(files.rlim_cur) +
                    " files and connections (ulimit -n), and " + std::to_string(count) + " are needed");
}

}  // namespace rota
