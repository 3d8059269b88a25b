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

}  // namespace rota
