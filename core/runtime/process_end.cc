#include "core/runtime/process_end.h"

#include <utility>

namespace rota {

constexpr Nanoseconds kSameSignal = kSecond;
// How long a process that is to end waits for its last messages to be acknowledged.
constexpr Nanoseconds kDrainMost = 2 * kSecond;
// How long a process that reported a fault waits for the coordinator's STOP.
constexpr Nanoseconds kStopMost = 10 * kSecond;

void ProcessEnd::begin(Ending ending, Nanoseconds now) {
  if (ending_) return;
  ending_ = std::move(ending);
  ending_since_ = now;
  router_.close();
}

bool ProcessEnd::fail(Ending fault, Nanoseconds now) {
  if (fault_ || ending_) return false;
  fault_ = std::move(fault);
  fault_at_ = now;
  return true;
}

ProcessEnd::Signal ProcessEnd::signal(Nanoseconds now) {
  if (signal_at_ != 0 && now - signal_at_ < kSameSignal) return Signal::same;
  return std::exchange(signal_at_, now) == 0 ? Signal::first : Signal::again;
}

void ProcessEnd::tick(Nanoseconds now) {
  if (fault_ && now - fault_at_ >= kStopMost) begin(*fault_, now);
}

void ProcessEnd::settle(Nanoseconds now) {
  if (!ending_ || complete_) return;
  if (router_.drained() || dismissed_ || now - ending_since_ >= kDrainMost) complete_ = ending_;
}

}  // namespace rota
