#include "core/base/clock.h"

#include <chrono>
#include <ctime>

namespace rota {

Nanoseconds now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Nanoseconds wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

Nanoseconds processor_time_ns(int thread) {
  // The kernel's clock of a thread (clock_getcpuclockid(3) has the form for processes): glibc has no function that
  // takes the number of a thread that another library started.
  constexpr clockid_t kOfThread = 4, kScheduled = 2;
  timespec time = {};
  if (::clock_gettime(static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3) | kOfThread | kScheduled, &time) != 0)
    return 0;
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace rota
