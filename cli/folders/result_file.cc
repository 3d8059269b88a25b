#include "cli/folders/result_file.h"

#include <cerrno>
#include <fstream>
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

Status check_replaced(const fs::path& file, bool (*is_own)(std::string_view), const std::string& what) {
  std::error_code error;
  const fs::path target = follow_links(file);
  if (!fs::is_regular_file(target, error) || fs::file_size(target, error) == 0) return {};
  std::string beginning(4096, '\0');
  std::ifstream in(target, std::ios::binary);
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  if (is_own(beginning)) return {};
  return {ExitCode::cannot_write, target.string() + " is there and is no " + what + ": name another file"};
}

Status write_result(const fs::path& file, const std::function<Status(std::ostream&)>& write) {
  std::error_code error;
  const fs::path target = follow_links(file);
  if (fs::is_directory(target, error)) return cannot_write(file, EISDIR);
  const bool in_place = fs::is_other(target, error);
  std::string name = target.string();
  if (!in_place && !open_unfinished(target, name).open()) return cannot_write(file, errno);
  errno = 0;
  std::ofstream out(name, std::ios::binary);
  Status status = out ? write(out) : cannot_write(file, errno);
  errno = 0;
  out.close();
  if (status.ok() && !out) status = cannot_write(file, errno);
  if (in_place) return status;
  if (status.ok()) fs::rename(name, target, error);
  if (status.ok() && error) status = cannot_write(file, error.value());
  if (!status.ok()) fs::remove(name, error);
  return status;
}

}  // namespace rota
