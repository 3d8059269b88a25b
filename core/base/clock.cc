#include "core/base/clock.h"

#include <chrono>

namespace rota {

namespace {

template <typename Clock>
Nanoseconds read() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

Nanoseconds now_ns() {
  return read<std::chrono::steady_clock>();
}
Nanoseconds wall_clock_ns() {
  return read<std::chrono::system_clock>();
}

}  // namespace rota
