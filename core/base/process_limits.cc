#include "core/base/process_limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
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

// A control group of memory that this process is in.
struct MemoryGroup {
  std::filesystem::path folder;
  std::filesystem::path top;
  const char* limit;   // its files
  const char* events;  // lines "NAME COUNT"
};

std::vector<MemoryGroup> memory_groups() {
  std::vector<MemoryGroup> found;
  std::ifstream groups("/proc/self/cgroup");  // "0::/path" of version 2, "5:memory:/path" of version 1
  for (std::string line; std::getline(groups, line);) {
    const std::size_t at = line.find(":/");
    if (at == line.npos) continue;
    const bool second = line.starts_with("0:");
    if (!second && line.find(":memory:") == line.npos) continue;
    const std::filesystem::path top = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    found.push_back({top / line.substr(at + 2), top, second ? "memory.max" : "memory.limit_in_bytes",
                     second ? "memory.events" : "memory.oom_control"});
  }
  return found;
}

// Of a control group and those above it.  One without a limit says "max", or a number beyond all memory.
std::uint64_t least_limit(MemoryGroup group) {
  std::uint64_t least = UINT64_MAX;
  while (true) {
    std::uint64_t limit = 0;
    if (std::ifstream(group.folder / group.limit) >> limit) least = std::min(least, limit);
    if (group.folder == group.top || !group.folder.has_relative_path()) return least;
    group.folder = group.folder.parent_path();
  }
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
  return too_little("only " + std::to_string(made) + " of " + std::to_string(count) + " threads can be made: " + why +
                    " (limits of memory and processes: ulimit -v, ulimit -u)");
}

Status check_descriptors(std::size_t count) {
  struct rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= count) return {};
  return too_little("a process may open " + std::to_string(files.rlim_cur) +
                    " files and connections (ulimit -n), and " + std::to_string(count) + " are needed");
}

std::uint64_t memory_for_each(std::uint64_t processes) {
  std::uint64_t least =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const MemoryGroup& group : memory_groups()) least = std::min(least, least_limit(group));
  least /= processes;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {  // of each process
    struct rlimit own = {};
    if (::getrlimit(resource, &own) == 0 && own.rlim_cur != RLIM_INFINITY) least = std::min(least, own.rlim_cur);
  }
  return least;
}

std::uint64_t killed_for_memory() {
  std::uint64_t killed = 0;
  for (const MemoryGroup& group : memory_groups()) {
    // In a container the path may be that of the machine outside, and the container's own group is the top.
    std::error_code error;
    const bool seen = std::filesystem::exists(group.folder / group.events, error);
    std::ifstream events((seen ? group.folder : group.top) / group.events);
    std::uint64_t count = 0;
    for (std::string name; events >> name >> count;)
      if (name == "oom_kill") killed += count;
  }
  return killed;
}

}  // namespace rota
