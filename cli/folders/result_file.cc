#include "cli/folders/result_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

fs::path follow_links(const fs::path& file) {
  constexpr int kMost = 40;  // as the system has it
  fs::path at = file;
  std::error_code error;
  for (int i = 0; i < kMost && fs::is_symlink(at, error); ++i) at = at.parent_path() / fs::read_symlink(at, error);
  return at;
}

Result<ResultFile> ResultFile::open(const fs::path& file) {
  std::error_code error;
  const fs::path target = follow_links(file);
  if (fs::is_directory(target, error)) return cannot_write(file, EISDIR);
  if (fs::is_other(target, error)) {
    errno = 0;
    std::ofstream out(target, std::ios::binary);
    if (!out) return cannot_write(file, errno);
    return ResultFile(target, target, std::move(out));
  }
  std::string unfinished;
  if (!open_unfinished(target, unfinished).open()) return cannot_write(file, errno);
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
