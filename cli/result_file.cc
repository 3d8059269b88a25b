#include "cli/result_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

Status cannot_write(const fs::path& file, int error) {
  const bool of_disk = error == ENOSPC || error == EDQUOT || error == EIO;
  return {of_disk ? ExitCode::disk : ExitCode::cannot_write,
          "cannot write " + file.string() + ": " + std::generic_category().message(error == 0 ? EIO : error)};
}

}  // namespace

fs::path behind_links(const fs::path& file) {
  constexpr int kMost = 40;  // as the system has it
  fs::path at = file;
  std::error_code error;
  for (int i = 0; i < kMost && fs::is_symlink(at, error); ++i) at = at.parent_path() / fs::read_symlink(at, error);
  return at;
}

Result<ResultFile> ResultFile::open(const fs::path& file) {
  std::error_code error;
  const fs::path target = behind_links(file);
  if (fs::is_directory(target, error)) return cannot_write(file, EISDIR);
  if (fs::is_other(target, error)) {
    errno = 0;
    std::ofstream out(target, std::ios::binary);
    if (!out) return cannot_write(file, errno);
    return ResultFile(target, target, std::move(out));
  }
  std::string unfinished = target.string() + ".unfinished-XXXXXX";
  const FileDescriptor fd(::mkostemp(unfinished.data(), O_CLOEXEC));
  if (!fd.open()) return cannot_write(file, errno);
  // mkostemp makes it 0600; a result is as readable as any other file of this user.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd.get(), 0666 & ~mask);
  errno = 0;
  std::ofstream out(unfinished, std::ios::binary);
  if (out) return ResultFile(target, unfinished, std::move(out));
  const int why = errno;
  ::unlink(unfinished.c_str());
  return cannot_write(file, why);
}

ResultFile::ResultFile(ResultFile&& other) noexcept
    : file_(std::move(other.file_)), unfinished_(std::exchange(other.unfinished_, {})), out_(std::move(other.out_)) {}

ResultFile::~ResultFile() {
  if (std::error_code ignored; !unfinished_.empty() && unfinished_ != file_) fs::remove(unfinished_, ignored);
}

Status ResultFile::complete() {
  errno = 0;
  out_.close();
  if (!out_) return cannot_write(file_, errno);
  std::error_code error;
  if (unfinished_ != file_) fs::rename(unfinished_, file_, error);
  if (error) return cannot_write(file_, error.value());
  unfinished_.clear();
  return {};
}

}  // namespace rota
