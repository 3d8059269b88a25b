// tests/system/power_cut.cc -- records what is durable and when, for LD_PRELOAD, to simulate a power cut.
//
//   ROTA_POWER_CUT=LOG:FOLDER     all programs with this library record in LOG what becomes durable below FOLDER
//   ROTA_SLOW_DISK_MS=N           every fsync below FOLDER takes N ms longer
//
// A record of LOG is a line, KIND INODE BORN SIZE, and SIZE bytes.  An inode's number may be used again, so it is
// identified with its creation time.  KIND: "F" the content of a file and "D" the names in a folder, durable from here
// on; "W" the content of a file and "L" the names in a folder as programs see them, after a change of names.  Names are
// lines: INODE BORN TYPE NAME.  power_cut.py makes folders of it.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

template <typename F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

struct Plan {
  std::string log, folder;
  useconds_t slow_us = 0;
};

const Plan& plan() {
  static const Plan plan = [] {
    Plan made;
    if (const char* wanted = std::getenv("ROTA_POWER_CUT")) {
      const std::string text = wanted;
      made.log = text.substr(0, text.find(':'));
      made.folder = text.substr(text.find(':') + 1);
    }
    if (const char* slow = std::getenv("ROTA_SLOW_DISK_MS"))
      made.slow_us = 1000U * static_cast<useconds_t>(std::atoi(slow));
    return made;
  }();
  return plan;
}

bool is_below(const std::string& path) {
  const std::string& folder = plan().folder;
  return !folder.empty() && path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string path_of(int fd) {
  char path[PATH_MAX] = {};
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path - 1);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

// "INODE BORN", and its type as stat has it; nothing if it is gone.
std::string name_of(int folder, const char* name, int flags, mode_t& mode) {
  struct statx status = {};
  if (::statx(folder, name, flags, STATX_INO | STATX_BTIME | STATX_TYPE, &status) != 0) return "";
  mode = status.stx_mode;
  const auto born =
      static_cast<unsigned long long>(status.stx_btime.tv_sec) * 1'000'000'000ULL + status.stx_btime.tv_nsec;
  return std::to_string(status.stx_ino) + " " + std::to_string(born);
}

std::string names_in(int fd) {
  std::string names;
  DIR* const folder = ::fdopendir(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (const dirent* const entry = folder == nullptr ? nullptr : ::readdir(folder)) {
    const std::string name = entry->d_name;
    mode_t mode = 0;
    const std::string id = name_of(fd, entry->d_name, AT_SYMLINK_NOFOLLOW, mode);
    if (name != "." && name != ".." && !id.empty())
      names += id + (S_ISDIR(mode) ? " d " : S_ISREG(mode) ? " f " : " - ") + name + "\n";
  }
  if (folder != nullptr) ::closedir(folder);
  return names;
}

std::string content_of(const std::string& path) {
  std::string content;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char block[65536];
  for (ssize_t n; fd >= 0 && (n = ::read(fd, block, sizeof block)) > 0;)
    content.append(block, static_cast<std::size_t>(n));
  if (fd >= 0) ::close(fd);
  return content;
}

// One program at a time, so that records are in the order of events.
class Turn {
 public:
  Turn() : fd_(::open(plan().log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Turn() { ::close(fd_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void write(char kind, const std::string& id, const std::string& content) const {
    const std::string record = std::string(1, kind) + " " + id + " " + std::to_string(content.size()) + "\n" + content;
    if (::write(fd_, record.data(), record.size()) != static_cast<ssize_t>(record.size())) std::abort();
  }

 private:
  int fd_;
};

int synced(int fd, int (*real)(int)) {
  const std::string path = path_of(fd);
  if (!is_below(path)) return real(fd);
  const Turn turn;
  mode_t mode = 0;
  const std::string id = name_of(fd, "", AT_EMPTY_PATH, mode);
  // The content before the call is durable after it.
  const std::string content = S_ISDIR(mode) ? names_in(fd) : content_of(path);
  if (plan().slow_us > 0) ::usleep(plan().slow_us);
  const int done = real(fd);
  if (done == 0) turn.write(S_ISDIR(mode) ? 'D' : 'F', id, content);
  return done;
}

// The folder around a path, as its programs see it now.
void record_folder(const Turn& turn, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  mode_t mode = 0;
  if (fd >= 0) turn.write('L', name_of(fd, "", AT_EMPTY_PATH, mode), names_in(fd));
  if (fd >= 0) ::close(fd);
}

// A change of names; also records the current content of the file `whole` after it.
template <typename F>
int changed(const std::string& path, const std::string& whole, const F& act) {
  if (!is_below(path)) return act();
  const Turn turn;
  const int done = act();
  const int error = errno;
  if (done == 0) {
    mode_t mode = 0;
    const std::string id = whole.empty() ? "" : name_of(AT_FDCWD, whole.c_str(), AT_SYMLINK_NOFOLLOW, mode);
    if (S_ISREG(mode)) turn.write('W', id, content_of(whole));
    record_folder(turn, path);
  }
  errno = error;
  return done;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  return synced(fd, real);
}

__attribute__((visibility("default"))) int fdatasync(int fd) {
  static auto* const real = next<int(int)>("fdatasync");
  return synced(fd, real);
}

__attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return changed(to, to, [&] { return real(from, to); });
}

__attribute__((visibility("default"))) int link(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("link");
  return changed(to, to, [&] { return real(from, to); });
}

__attribute__((visibility("default"))) int unlink(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("unlink");
  return changed(path, "", [&] { return real(path); });
}

__attribute__((visibility("default"))) int remove(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("remove");
  return changed(path, "", [&] { return real(path); });
}

__attribute__((visibility("default"))) int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return changed(path, "", [&] { return real(path, mode); });
}

}  // extern "C"
