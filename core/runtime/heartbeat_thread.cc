#include "core/runtime/heartbeat_thread.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace rota {

std::jthread heartbeat_thread(const HookSlot& doing, Nanoseconds every, std::function<bool()> say) {
  return std::jthread([&doing, every, say = std::move(say)](const std::stop_token& stop) {
    constexpr Nanoseconds kLookMost = 250 * kMillisecond;  // between two looks
    const auto look = std::chrono::nanoseconds(std::min(kLookMost, every / 2));
    std::uint64_t seen = 0;                  // the hook of the last look
    Nanoseconds said_at = now_ns() - every;  // the clock may have begun less than this ago
    std::mutex mutex;
    std::unique_lock lock(mutex);
    for (std::condition_variable_any sleep; !stop.stop_requested();) {
      sleep.wait_for(lock, stop, look, [] { return false; });
      const std::uint64_t hook = doing.inside.load(std::memory_order_acquire) != 0 ? doing.entered.load() : 0;
      // A thread that enters and leaves hooks sends its own beats.
      const bool stays = hook != 0 && hook == seen;
      seen = hook;
      if (stays && !stop.stop_requested() && now_ns() - said_at >= every && say()) said_at = now_ns();
    }
  });
}

}  // namespace rota
