#include "cli/launcher/checkup.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <thread>

#include "cli/remote/reach.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/process_limits.h"
#include "core/base/trust.h"
#include "core/base/version.h"
#include "core/job/plugin_host.h"
#include "core/wire/address.h"
#include "core/wire/keys.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

using Kind = Finding::Kind;

constexpr rlim_t kFilesMany = 4096;
constexpr std::uintmax_t kSpaceLittle = std::uintmax_t{1} << 30;
constexpr Nanoseconds kSyncSlow = 100 * kMillisecond;
constexpr Nanoseconds kSkewMost = 2 * kSecond;
constexpr Nanoseconds kReachSpan = 5 * kSecond;
constexpr int kSyncs = 5;

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

std::string milliseconds(Nanoseconds span) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(span) / 1e6);
  return text;
}

Finding failure(const std::string& what, const Status& status, const std::string& remedy) {
  return {Kind::failure, what + ": " + status.what(), remedy, status.code()};
}

std::string kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4") != 0) return "x86-64-v4 (AVX-512)";
  if (__builtin_cpu_supports("x86-64-v3") != 0) return "x86-64-v3 (AVX2)";
  return "x86-64";
#else
  return "this processor";
#endif
}

Finding program() {
  std::string broken;
  std::size_t apps = 0;
  for (const std::string& app : available_apps()) {
    ++apps;
    if (const auto plugin = find_plugin(app); !plugin.ok())
      broken += (broken.empty() ? "" : "; ") + plugin.status().what();
  }
  const std::string what = std::string("rota ") + kVersion + ", " + std::to_string(apps) + " apps";
  if (!broken.empty())
    return {Kind::failure, what + ": " + broken, "build or install them for this version", ExitCode::wrong_version};
  return {Kind::good, what, ""};
}

Finding machine() {
  return {Kind::good,
          std::to_string(std::thread::hardware_concurrency()) + " processors, kernels for " + kernels() + ", " +
              gigabytes(static_cast<double>(memory_for_each(1))) + " of memory for a process",
          ""};
}

Finding open_files() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::string what = "open files: " + std::to_string(limit.rlim_max);
  if (limit.rlim_max >= kFilesMany) return {Kind::good, what, ""};
  return {Kind::warning, what, "jobs of many processes need more: raise the hard limit (ulimit -Hn)"};
}

// Its own name must lead to it, and its number to a name: others see both in logs, and users give names.
Finding name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string own = host.data(), what = "name: " + own;
  if (const auto numbers = own_numbers(own); numbers.ok())
    return {Kind::good, what + ", " + numbers->front() + "; others reach it at " + own_number(), ""};
  return {Kind::warning, what + " does not resolve to this machine",
          "add it to /etc/hosts or the DNS, or give numbers: --host=" + own_number()};
}

Finding port() {
  // The number that others would use must be one where this machine can listen, and can be reached by itself at least.
  const std::string number = own_number();
  const auto open = OpenPort::at(number);
  const Status reached = open.ok() ? reach(open->address(), kReachSpan) : open.status();
  if (reached.ok()) return {Kind::good, "tcp: any port of " + number, ""};
  return failure("tcp at " + number, reached, "allow connections between the machines of a job, at any port");
}

// How long it takes until a written megabyte is safe, and what the file system's clock says.  Of a folder that is still
// to be made, the one that it will be in.
void folder(fs::path path, std::vector<Finding>& found) {
  std::error_code ignored;
  const bool is_there = fs::exists(path, ignored);
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  const std::string shown = path.native();
  if (const Status own = check_own(path); is_there && !own.ok())
    found.push_back(failure(shown, own, "use a folder that only you can write to"));
  const fs::path file = path / (".rota-doctor-" + std::to_string(::getpid()));
  const auto fd = open_file(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd.ok()) {
    found.push_back(failure(shown, fd.status(), "make it writable, or choose another --out"));
    return;
  }
  const std::vector<std::byte> block(1 << 20);
  std::array<Nanoseconds, kSyncs> spans{};
  Status written;
  for (Nanoseconds& span : spans) {
    const Nanoseconds begin = now_ns();
    if (const int error = write_all(fd->get(), block); error != 0 && written.ok()) written = cannot_write(file, error);
    ::fsync(fd->get());
    span = now_ns() - begin;
  }
  struct stat stat = {};
  ::fstat(fd->get(), &stat);
  const Nanoseconds skew =
      wall_clock_ns() - (static_cast<Nanoseconds>(stat.st_mtim.tv_sec) * kSecond + stat.st_mtim.tv_nsec);
  fs::remove(file, ignored);
  if (!written.ok()) {
    found.push_back(failure(shown, written, "free space, or choose another --out"));
    return;
  }
  std::ranges::sort(spans);
  const Nanoseconds median = spans[kSyncs / 2];
  const auto space = fs::space(path, ignored);
  const std::string left = shown + ": " + gigabytes(static_cast<double>(space.available)) +
                           " free, a megabyte is safe after " + milliseconds(median);
  if (space.available < kSpaceLittle)
    found.push_back(
        {Kind::warning, left, "checkpoints take twice the model's size: free space, or choose another --out"});
  else if (median > kSyncSlow)
    found.push_back({Kind::warning, left, "a slow disk delays the ends of epochs: use a larger --checkpoint_seconds"});
  else
    found.push_back({Kind::good, left, ""});
  if (std::abs(skew) > kSkewMost)
    found.push_back({Kind::warning,
                     shown + ": the file system's clock is " + milliseconds(skew) + " behind this machine's",
                     "synchronise the clocks (chrony, ntpd): times in logs would not fit together"});
}

}  // namespace

std::vector<Finding> examine(const Checkup& what) {
  std::vector<Finding> found{program(), machine(), open_files(), name(), port()};
  folder(what.folder.empty() ? fs::current_path() : what.folder, found);
  if (what.keys.empty()) return found;
  for (const Role role : {Role::coordinator, Role::scheduler, Role::worker, Role::kvstore})
    if (const auto keys = read_keys(what.keys, role); !keys.ok()) {
      found.push_back(failure("keys of " + std::string(role_name(role)), keys.status(),
                              "folder 0700, files 0600, owned by you; `rota keys DIR` makes new ones"));
      return found;
    }
  found.push_back({Kind::good, "keys: " + what.keys.native(), ""});
  return found;
}

}  // namespace rota
