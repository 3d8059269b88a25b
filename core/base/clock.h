// core/base/clock.h -- the only door to time.  State machines never read it: time comes to them as an argument.
#pragma once
#include <cstdint>

namespace rota {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1000 * kMillisecond;

// Monotonic; its zero means nothing.
Nanoseconds now_ns();
// Since 1970, for people.
Nanoseconds wall_clock_ns();
// Processor time of a thread of this process, by the system's number for it; 0 if there is no such thread.
Nanoseconds processor_time_ns(int thread);

constexpr double seconds_of(Nanoseconds span) {
  return static_cast<double>(span) / static_cast<double>(kSecond);
}

}  // namespace rota
