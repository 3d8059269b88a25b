#include "core/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/base/failpoint.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

Status failed(ExitCode code, std::string_view what, const fs::path& path, int error) {
  return {code_of_open(error, code), std::string(what) + " " + path.string() + ": " + reason_of(error)};
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Cuts off what follows the last line end.
Status cut_torn_line(int fd, const fs::path& file) {
  off_t end = ::lseek(fd, 0, SEEK_END);
  if (end < 0) return failed(ExitCode::disk, "cannot read", file, errno);
  const off_t size = end;
  std::array<char, 4096> block{};
  while (end > 0) {
    const auto n = std::min<off_t>(end, static_cast<off_t>(block.size()));
    if (::pread(fd, block.data(), static_cast<std::size_t>(n), end - n) != n)
      return failed(ExitCode::disk, "cannot read", file, errno);
    const std::string_view text(block.data(), static_cast<std::size_t>(n));
    if (const auto at = text.rfind('\n'); at != text.npos) {
      end = end - n + static_cast<off_t>(at) + 1;
      break;
    }
    end -= n;
  }
  if (end != size && ::ftruncate(fd, end) != 0) return failed(ExitCode::disk, "cannot shorten", file, errno);
  return {};
}

// Calls `line` for each whole line from `at` on, which moves past them: 0, or errno.
int read_lines(int fd, std::uint64_t& at, const std::function<void(std::string_view line)>& line) {
  std::string text(65536, '\0');
  std::string unfinished;
  while (true) {
    const std::ptrdiff_t n = read_at(fd, std::as_writable_bytes(std::span(text)), at + unfinished.size());
    if (n <= 0) return n < 0 ? errno : 0;
    unfinished.append(text, 0, static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = unfinished.find('\n', begin)) != unfinished.npos; begin = end + 1)
      line(std::string_view(unfinished).substr(begin, end - begin));
    unfinished.erase(0, begin);
    at += begin;
  }
}

}  // namespace

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<FileDescriptor> open_file(const fs::path& file, int flags) {
  // Without O_NONBLOCK, open() itself would wait for the other end of a pipe.
  FileDescriptor fd = open_patiently([&] { return ::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666); });
  const bool reads = (flags & O_ACCMODE) == O_RDONLY;
  const std::string what = (reads ? "cannot open " : "cannot write ") + file.string() + ": ";
  const int error = fd.open() ? 0 : errno;
  struct stat facts = {};
  if (error == ENXIO || (error == 0 && ::fstat(fd.get(), &facts) == 0 && !S_ISREG(facts.st_mode)))
    return Status(reads ? ExitCode::no_input : ExitCode::cannot_write, what + "it is no regular file");
  if (error != 0)
    return Status(reads ? code_of_open(error, ExitCode::no_input) : code_of_write(error), what + reason_of(error));
  ::fcntl(fd.get(), F_SETFL, flags);
  return fd;
}

Result<std::size_t> read_bytes(const FileDescriptor& fd, std::span<std::byte> to, const fs::path& file) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t n = ::read(fd.get(), to.data() + done, to.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(ExitCode::disk, "cannot read", file, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Status sync_folder(const fs::path& folder) {
  const FileDescriptor fd = open_patiently([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (!fd.open() || ::fsync(fd.get()) != 0) return failed(ExitCode::disk, "cannot sync folder", folder, errno);
  return {};
}

Status write_atomically(const fs::path& file, std::span<const std::byte> bytes) {
  std::string unfinished;
  FileDescriptor fd = open_unfinished(file, unfinished);
  if (!fd.open()) return cannot_write(file, errno);
  const std::string name = file.filename().string();
  failpoint("file.opened", name);
  int error = write_all(fd.get(), bytes);
  failpoint("file.written", name);
  if (error == 0 && ::fsync(fd.get()) != 0) error = errno;
  failpoint("file.synced", name);
  fd.close();
  if (error == 0 && ::rename(unfinished.c_str(), file.c_str()) != 0) error = errno;
  failpoint("file.renamed", name);
  if (error != 0) {
    ::unlink(unfinished.c_str());
    return cannot_write(file, error);
  }
  ROTA_TRY(sync_folder(folder_of(file)));
  failpoint("file.folder_synced", name);
  return {};
}

Status write_atomically(const fs::path& file, std::string_view text) {
  return write_atomically(file, std::as_bytes(std::span(text)));
}

Result<FileDescriptor> open_unnamed(const fs::path& file) {
  std::string name;
  FileDescriptor fd = open_unfinished(file, name);
  if (!fd.open() || ::unlink(name.c_str()) != 0)
    return failed(code_of_write(errno), "cannot write beside", file, errno);
  return fd;
}

std::string_view finished_name(std::string_view name) {
  const std::size_t end = name.rfind(kUnfinished);
  return end != name.npos && name.size() == end + kUnfinished.size() + 6 ? name.substr(0, end) : name;
}

Status sync_file(const fs::path& file) {
  const auto fd = open_file(file, O_RDONLY);
  if (!fd.ok())
    return fd.status().code() == ExitCode::temporary ? fd.status() : Status(ExitCode::disk, fd.status().what());
  return ::fsync(fd->get()) == 0 ? Status() : failed(ExitCode::disk, "cannot sync", file, errno);
}

Status copy_durably(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) return {code_of_write(error.value()), "cannot write " + to.string() + ": " + error.message()};
  return sync_file(to);
}

Status filter_lines(const fs::path& file, const std::function<bool(const std::string&)>& keep) {
  std::error_code none;
  if (!fs::exists(file, none)) return {};
  ROTA_ASSIGN(const auto in, open_file(file, O_RDONLY));
  const fs::path unfinished = file.string() + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  if (!out) return cannot_write(unfinished, errno);
  std::uint64_t at = 0;
  const int error = read_lines(in.get(), at, [&](std::string_view line) {
    if (keep(std::string(line))) out << line << '\n';
  });
  if (error != 0) return failed(ExitCode::disk, "cannot read", file, error);
  out.close();
  if (!out) return {ExitCode::disk, "cannot write " + unfinished.string()};
  ROTA_TRY(sync_file(unfinished));
  failpoint("lines.filtered");
  if (::rename(unfinished.c_str(), file.c_str()) != 0) return failed(ExitCode::disk, "cannot write", file, errno);
  return sync_folder(folder_of(file));
}

Result<std::string> read_whole_file(const fs::path& file, std::size_t bytes_max) {
  ROTA_ASSIGN(const auto fd, open_file(file, O_RDONLY));
  std::string text;
  std::vector<std::byte> block(65536);
  while (true) {
    ROTA_ASSIGN(const auto n, read_bytes(fd, block, file));
    if (n == 0) return text;
    if (text.size() + n > bytes_max)
      return Status(ExitCode::disk, file.string() + " is larger than " + std::to_string(bytes_max) + " bytes");
    text.append(reinterpret_cast<const char*>(block.data()), n);
  }
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> parents;  // of those that will be made, the innermost first
  for (fs::path at = folder; !at.empty() && !fs::exists(at, error); at = folder_of(at))
    parents.push_back(folder_of(at));
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return {ExitCode::cannot_write, "cannot make folder " + folder.string() + ": " + error.message()};
  for (const fs::path& parent : parents)
    // Where one may make folders, but not look around, there is nothing to sync by.
    if (::access(parent.c_str(), R_OK) == 0) ROTA_TRY(sync_folder(parent));
  return {};
}

Result<fs::path> make_private_folder(const fs::path& parent, std::string_view prefix) {
  std::string folder = (parent / prefix).string() + "XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    return failed(ExitCode::cannot_write, "cannot make a folder in", parent, errno);
  return fs::path(folder);
}

Result<LineFile> LineFile::open(const fs::path& file) {
  ROTA_ASSIGN(auto fd, open_file(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW));
  ROTA_TRY(cut_torn_line(fd.get(), file));
  return LineFile(std::move(fd), file);
}

Status LineFile::append(std::string_view line) {
  // One write: O_APPEND keeps it whole beside other writers.
  const std::string whole = std::string(line) + "\n";
  const int error = write_all(fd_.get(), std::as_bytes(std::span(whole)));
  if (error != 0) return failed(ExitCode::disk, "cannot write", file_, error);
  return {};
}

Status LineFile::sync() {
  if (::fsync(fd_.get()) != 0) return failed(ExitCode::disk, "cannot sync", file_, errno);
  return {};
}

void LineTail::read(const std::function<void(std::string_view line)>& line) {
  const auto fd = open_file(file_, O_RDONLY);
  if (fd.ok()) read_lines(fd->get(), at_, line);
}

std::string last_lines(const fs::path& file, std::size_t count) {
  const auto fd = open_file(file, O_RDONLY);
  constexpr off_t kMost = 65536;
  const off_t size = fd.ok() ? ::lseek(fd->get(), 0, SEEK_END) : 0;
  if (size <= 0) return "";
  std::string text(static_cast<std::size_t>(std::min(size, kMost)), '\0');
  const ssize_t n = ::pread(fd->get(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  while (text.ends_with('\n')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t i = 0; i < count && at != 0; ++i) {
    const std::size_t found = text.rfind('\n', at - 1);
    at = found == text.npos ? 0 : found;
  }
  return text.substr(at == 0 ? 0 : at + 1);
}

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

int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return 0;
}

std::ptrdiff_t read_at(int fd, std::span<std::byte> to, std::uint64_t at) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t n = ::pread(fd, to.data() + done, to.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return static_cast<std::ptrdiff_t>(done);
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
