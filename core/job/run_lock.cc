#include "core/job/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include "core/base/clock.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

// A killed process holds its files a moment longer.
constexpr Nanoseconds kEndingMost = 5 * kSecond;
constexpr unsigned kLookEveryUs = 20'000;
constexpr std::size_t kEraBytesMax = 64;

std::uint64_t stored(const RunFolder& run) {
  const auto text = read_whole_file(run.era(), kEraBytesMax);
  std::uint64_t era = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), era);
  return era;
}

// If the number is lost, the names of the files still have it.
std::uint64_t newest_named(const RunFolder& run) {
  std::uint64_t era = 0;
  for (const fs::path& folder : run.epochs()) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      era = std::max(era, RunFolder::era_of(at->path().filename().string()));
  }
  return era;
}

}  // namespace

Result<FileDescriptor> lock_run(const RunFolder& run) {
  ROTA_TRY(make_folder(run.checkpoint()));
  ROTA_ASSIGN(auto fd, open_file(run.lock(), O_RDWR | O_CREAT | O_NOFOLLOW));
  const auto failed = [&](const std::string& why) {
    return Status(ExitCode::cannot_write, run.lock().string() + ": " + why);
  };
  const Nanoseconds until = now_ns() + kEndingMost;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failed(std::generic_category().message(errno));
    if (now_ns() >= until) return Status(ExitCode::cannot_write, "another coordinator runs in " + run.path.string());
    ::usleep(kLookEveryUs);
  }
  return fd;
}

Result<FileDescriptor> claim_folder(const std::filesystem::path& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.open())
    return Status(ExitCode::cannot_write, folder.string() + ": " + std::generic_category().message(errno));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    return Status(ExitCode::cannot_write, "another `rota` runs in " + folder.string());
  return fd;
}

Result<std::uint64_t> begin_era(const RunFolder& run) {
  const std::uint64_t era = std::max(stored(run), newest_named(run)) + 1;
  ROTA_TRY(write_atomically(run.era(), std::to_string(era) + "\n"));
  return era;
}

}  // namespace rota
