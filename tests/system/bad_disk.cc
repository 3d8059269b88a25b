// tests/system/bad_disk.cc -- a disk that fails, for LD_PRELOAD: the Nth call by which a program writes below a folder
// fails with an error of the system.
//
//   ROTA_BAD_DISK=PROGRAM:NTH:COUNT:ERROR:FOLDER   in PROGRAM, COUNT calls from the NTH (from 1) on fail with ERROR
//   ROTA_BAD_DISK_LOG=FILE                         a line for each counted call, with "failed" where it fails
//
// Counted calls: write, pwrite, writev, fsync, fdatasync, ftruncate, rename, link, and open and mkostemp of new files.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Plan {
  bool on = false;
  unsigned long nth = 0, count = 0;
  int error = 0;
  std::string folder, log;
};

Plan read_plan() {
  Plan plan;
  const char* wanted = std::getenv("ROTA_BAD_DISK");
  if (wanted == nullptr) return plan;
  char program[64] = {}, folder[PATH_MAX] = {};
  if (std::sscanf(wanted, "%63[^:]:%lu:%lu:%d:%4095s", program, &plan.nth, &plan.count, &plan.error, folder) != 5)
    std::abort();
  plan.folder = folder;
  plan.on = std::strcmp(program, program_invocation_short_name) == 0;
  if (const char* log = std::getenv("ROTA_BAD_DISK_LOG")) plan.log = log;
  return plan;
}

const Plan& plan() {
  static const Plan plan = read_plan();
  return plan;
}

template <typename F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// Whether this call fails; errno is set then.
bool fails(const char* what, const std::string& path) {
  if (!plan().on || !path.starts_with(plan().folder)) return false;
  static std::atomic<unsigned long> calls{0};
  const unsigned long number = ++calls;
  const bool bad = number >= plan().nth && number - plan().nth < plan().count;
  if (!plan().log.empty()) {
    const int fd = next<int(const char*, int, ...)>("open")(plan().log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    const std::string line = std::to_string(number) + " " + what + " " + path + (bad ? " failed\n" : "\n");
    if (fd >= 0 && next<ssize_t(int, const void*, size_t)>("write")(fd, line.data(), line.size()) < 0) std::abort();
    if (fd >= 0) ::close(fd);
  }
  if (bad) errno = plan().error;
  return bad;
}

bool fails(const char* what, int fd) {
  if (!plan().on) return false;
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  char path[PATH_MAX] = {};
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path - 1);
  return size > 0 && fails(what, std::string(path, static_cast<size_t>(size)));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return fails("write", fd) ? -1 : real(fd, bytes, size);
}

__attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return fails("pwrite", fd) ? -1 : real(fd, bytes, size, at);
}

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return fails("pwrite", fd) ? -1 : real(fd, bytes, size, at);
}

__attribute__((visibility("default"))) ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  return fails("writev", fd) ? -1 : real(fd, parts, count);
}

__attribute__((visibility("default"))) int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  return fails("fsync", fd) ? -1 : real(fd);
}

__attribute__((visibility("default"))) int fdatasync(int fd) {
  static auto* const real = next<int(int)>("fdatasync");
  return fails("fdatasync", fd) ? -1 : real(fd);
}

__attribute__((visibility("default"))) int ftruncate(int fd, off_t size) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return fails("ftruncate", fd) ? -1 : real(fd, size);
}

__attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return fails("rename", std::string(to)) ? -1 : real(from, to);
}

__attribute__((visibility("default"))) int link(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("link");
  return fails("link", std::string(to)) ? -1 : real(from, to);
}

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return (flags & O_CREAT) != 0 && fails("open", std::string(path)) ? -1 : real(path, flags, mode);
}

__attribute__((visibility("default"))) int open64(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open64");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return (flags & O_CREAT) != 0 && fails("open", std::string(path)) ? -1 : real(path, flags, mode);
}

__attribute__((visibility("default"))) int mkostemp(char* name, int flags) {
  static auto* const real = next<int(char*, int)>("mkostemp");
  return fails("mkostemp", std::string(name)) ? -1 : real(name, flags);
}

}  // extern "C"
