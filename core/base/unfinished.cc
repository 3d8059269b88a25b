#include "core/base/unfinished.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rota {

FileDescriptor open_unfinished(const std::filesystem::path& file, std::string& name) {
  name = file.string() + std::string(kUnfinished) + "XXXXXX";
  const std::string pattern = name;
  FileDescriptor fd = open_patiently([&] {
    name = pattern;
    return ::mkostemp(name.data(), O_CLOEXEC);
  });
  if (!fd.open()) return fd;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd.get(), 0666 & ~mask) == 0) return fd;  // mkostemp makes it 0600
  const int why = errno;
  fd.close();
  ::unlink(name.c_str());
  errno = why;
  return fd;
}

FileDescriptor open_patiently(const std::function<int()>& open_one) {
  constexpr int kTries = 500;
  constexpr unsigned kPauseUs = 10'000;
  for (int i = 1;; ++i) {
    FileDescriptor fd(open_one());
    if (fd.open() || (errno != EMFILE && errno != ENFILE) || i == kTries) return fd;
    ::usleep(kPauseUs);
  }
}

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

std::string reason_of(int error) {
  std::string reason = std::generic_category().message(error);
  if (error == EMFILE) reason += " (the limit of this process, ulimit -n)";
  if (error == ENFILE) reason += " (the limit of the system, fs.file-max)";
  if (error == EFBIG) reason += " (the limit of a file's size, ulimit -f)";
  return reason;
}

ExitCode code_of_open(int error, ExitCode otherwise) {
  return error == EMFILE || error == ENFILE ? ExitCode::temporary : otherwise;
}

ExitCode code_of_system(int error, ExitCode otherwise) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EFBIG:
      return ExitCode::disk;
    case EACCES:
    case EPERM:
    case EROFS:
      return ExitCode::cannot_write;
    case EAGAIN:
      return ExitCode::temporary;
    default:
      return code_of_open(error, otherwise);
  }
}

Status cannot_write(const std::filesystem::path& file, int error) {
  if (error == 0) error = EIO;  // a stream does not always say why
  return {code_of_write(error), "cannot write " + file.string() + ": " + reason_of(error)};
}

}  // namespace rota
