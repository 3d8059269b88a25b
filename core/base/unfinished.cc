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
  FileDescriptor fd(::mkostemp(name.data(), O_CLOEXEC));
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

ExitCode code_of_write(int error) {
  return error == ENOSPC || error == EDQUOT || error == EIO ? ExitCode::disk : ExitCode::cannot_write;
}

Status cannot_write(const std::filesystem::path& file, int error) {
  if (error == 0) error = EIO;  // a stream does not always say why
  return {code_of_write(error), "cannot write " + file.string() + ": " + std::generic_category().message(error)};
}

}  // namespace rota
