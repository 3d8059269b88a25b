// core/base/files.h -- files that must survive a crash, and folders for this user alone.
//
// Errors: ExitCode::no_input if a file to read is not there, cannot_write if a file or folder cannot be made, disk if
// reading or writing fails on the way, temporary if there is no descriptor for it, for some seconds.  The text names
// the path and the system's reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/status.h"

namespace rota {

// An open file descriptor of its own, closed at the end.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// Opens a file with these flags of open(2).  What is no regular file is refused, and not waited for: a pipe could keep
// its reader for ever, and a device has no end.
Result<FileDescriptor> open_file(const std::filesystem::path& file, int flags);
// The file's next bytes, as many as there is room for unless it ends before.
Result<std::size_t> read_bytes(const FileDescriptor& fd, std::span<std::byte> to, const std::filesystem::path& file);

// The file has either its old content or all of `bytes`, whenever the machine stops: a temporary file beside it,
// fsync, rename, fsync of the folder.
Status write_atomically(const std::filesystem::path& file, std::span<const std::byte> bytes);
Status write_atomically(const std::filesystem::path& file, std::string_view text);
// The name that such a temporary file was to get, or `name` itself if it is not the name of one: a crash leaves
// "NAME.unfinished-" and six letters.
std::string_view finished_name(std::string_view name);

// The whole file; more than `bytes_max` is ExitCode::disk.
Result<std::string> read_whole_file(const std::filesystem::path& file, std::size_t bytes_max);

// Makes the folder and those above it, as far as they are not there, and their names durable.
Status make_folder(const std::filesystem::path& folder);
// Makes a new folder `parent`/`prefix`XXXXXX that only this user can enter.
Result<std::filesystem::path> make_private_folder(const std::filesystem::path& parent, std::string_view prefix);

// A new empty file in the folder of `file`, to write and to read, that has no name: it is gone when it is closed.
Result<FileDescriptor> open_unnamed(const std::filesystem::path& file);

// Makes renames and new names in a folder durable.
Status sync_folder(const std::filesystem::path& folder);
// Makes what was written to a file durable.
Status sync_file(const std::filesystem::path& file);
// A durable copy; `to` is written over.
Status copy_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// Leaves the lines that `keep` wants, atomically, in a file of any size; `line` is without its end.  Does nothing if
// there is no such file, and drops an unfinished last line.
Status filter_lines(const std::filesystem::path& file, const std::function<bool(const std::string& line)>& keep);

// A file of lines that only grows.  A line is in the file as a whole once append() returns; sync() makes it durable.
class LineFile {
 public:
  // Makes the file if need be.  What a crash left of an unfinished last line is cut off.
  static Result<LineFile> open(const std::filesystem::path& file);

  // `line` without its line end, and without one inside.
  Status append(std::string_view line);
  Status sync();

 private:
  LineFile(FileDescriptor fd, std::filesystem::path file) : fd_(std::move(fd)), file_(std::move(file)) {}

  FileDescriptor fd_;
  std::filesystem::path file_;
};

// Follows a LineFile that another process writes, across its restarts.
class LineTail {
 public:
  explicit LineTail(std::filesystem::path file) : file_(std::move(file)) {}

  // Calls `line` for every whole line since the last call, without its end.  There may be no such file yet.
  void read(const std::function<void(std::string_view line)>& line);

 private:
  std::filesystem::path file_;
  std::uint64_t at_ = 0;  // the first line that was not read
};

// The last `count` lines of a file, joined by line ends; "" if it cannot be read.  Reads at most 64 KiB.
std::string last_lines(const std::filesystem::path& file, std::size_t count);

// ---- a file that gets its name when it is complete

inline constexpr std::string_view kUnfinished = ".unfinished-";  // and six letters

// A new file beside `file`, as readable as any other of this user; puts its `name`.  Not open, and errno says why, if
// it cannot be made.
FileDescriptor open_unfinished(const std::filesystem::path& file, std::string& name);

// What open_one() opens, a descriptor or -1 and errno.  While the process or the system has none left, it is tried
// again, for 5 s at most: others close theirs.
FileDescriptor open_patiently(const std::function<int()>& open_one);

// Writes all bytes: 0, or errno.
int write_all(int fd, std::span<const std::byte> bytes);
// Writes all bytes from this place of the file on: 0, or errno.
int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at);
// Reads as many bytes from this place of the file on as there are, and are asked for; -1, and errno, if it cannot.
std::ptrdiff_t read_at(int fd, std::span<std::byte> to, std::uint64_t at);

// The system's reason; of a limit, how the user finds it.
std::string reason_of(int error);
// No descriptor is ExitCode::temporary, all else as the caller says.
ExitCode code_of_open(int error, ExitCode otherwise);
// A disk that is full or broken, or a file beyond its limit, is ExitCode::disk; a place where nothing may be made
// cannot_write; no descriptor or thread temporary; all else as the caller says.
ExitCode code_of_system(int error, ExitCode otherwise);
inline ExitCode code_of_write(int error) {
  return code_of_system(error, ExitCode::cannot_write);
}
// "cannot write FILE: " and the system's reason.
Status cannot_write(const std::filesystem::path& file, int error);

}  // namespace rota
