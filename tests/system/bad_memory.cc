// tests/system/bad_memory.cc -- no memory, for LD_PRELOAD: allocations of a program fail.
//
//   ROTA_BAD_MEMORY=PROGRAM:SIZE:NTH:COUNT:MARK   in PROGRAM, of the allocations of at least SIZE bytes, COUNT fail
//   from
//                                                 the NTH (from 1) on; only in the first process that gets there, which
//                                                 makes the file MARK
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The C library's own functions.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* old, std::size_t size);

namespace {

struct Plan {
  std::size_t size = 0;
  unsigned long nth = 0, count = 0;
  char mark[PATH_MAX] = {};
};

Plan plan;
std::atomic<bool> armed{false};
std::atomic<unsigned long> seen{0};
std::atomic<int> mine{0};  // 1: this process made the mark; -1: another did

// Before main(), when there is one thread, and nothing is counted yet.
__attribute__((constructor)) void read_plan() {
  const char* const wanted = std::getenv("ROTA_BAD_MEMORY");
  char program[64] = {};
  if (wanted == nullptr) return;
  if (std::sscanf(wanted, "%63[^:]:%zu:%lu:%lu:%4095s", program, &plan.size, &plan.nth, &plan.count, plan.mark) != 5)
    std::abort();
  armed = std::strcmp(program, program_invocation_short_name) == 0;
}

bool fails(std::size_t size) {
  if (!armed.load(std::memory_order_relaxed) || size < plan.size) return false;
  const unsigned long number = ++seen;
  if (number < plan.nth || number - plan.nth >= plan.count) return false;
  if (mine == 0) {
    const int fd = ::open(plan.mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    mine = fd >= 0 ? 1 : -1;
    if (fd >= 0) ::close(fd);
  }
  errno = ENOMEM;
  return mine == 1;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
  return fails(size) ? nullptr : __libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(count * size) ? nullptr : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void* realloc(void* old, std::size_t size) noexcept {
  return fails(size) ? nullptr : __libc_realloc(old, size);
}

}  // extern "C"
