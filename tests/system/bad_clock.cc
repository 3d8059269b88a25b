// tests/system/bad_clock.cc -- clocks that jump, for LD_PRELOAD.
//
//   ROTA_BAD_CLOCK=FOLDER   a program maps FOLDER/NAME, where NAME is its own: two 64-bit numbers, nanoseconds to add
//   to
//                           the wall clock and to the monotonic clock, which stops instead of going back.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

template <typename F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

struct Shifts {
  std::atomic<std::int64_t> wall, monotonic;
};

Shifts& shifts() {
  static Shifts none{};
  static Shifts* const all = [] {
    const char* const folder = std::getenv("ROTA_BAD_CLOCK");
    const std::string file = folder == nullptr ? "" : std::string(folder) + "/" + program_invocation_short_name;
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return &none;
    void* const mapped = ::mmap(nullptr, sizeof(Shifts), PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    return mapped == MAP_FAILED ? &none : static_cast<Shifts*>(mapped);
  }();
  return *all;
}

std::int64_t shift_of(clockid_t clock) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return shifts().wall;
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ? shifts().monotonic.load() : 0;
}

timespec shifted(const timespec& time, std::int64_t by) {
  const std::int64_t all = time.tv_sec * kSecond + time.tv_nsec + by;
  return all < 0 ? timespec{0, 0} : timespec{all / kSecond, all % kSecond};
}

int real_clock(clockid_t clock, timespec* time) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  return real(clock, time);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int done = real_clock(clock, time);
  const std::int64_t by = done == 0 ? shift_of(clock) : 0;
  if (done != 0 || (clock != CLOCK_MONOTONIC && by == 0)) return done;
  *time = shifted(*time, by);
  if (clock != CLOCK_MONOTONIC) return done;
  static std::atomic<std::int64_t> newest{0};
  const std::int64_t now = time->tv_sec * kSecond + time->tv_nsec;
  std::int64_t before = newest;
  while (before < now && !newest.compare_exchange_weak(before, now)) {
  }
  if (before > now) *time = {before / kSecond, before % kSecond};
  return done;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* time, void*) noexcept {
  timespec now = {};
  const int done = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return done;
}

__attribute__((visibility("default"))) time_t time(time_t* result) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

// The deadline is by the shifted clock; the system waits by the real one.
__attribute__((visibility("default"))) int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                                  clockid_t clock, const timespec* until) {
  static auto* const real =
      next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  const timespec then = shifted(*until, -shift_of(clock));
  return real(condition, mutex, clock, &then);
}

}  // extern "C"
