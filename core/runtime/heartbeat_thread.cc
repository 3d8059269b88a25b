#include "core/runtime/heartbeat_thread.h"

#include <algorithm>
#include <chrono>

namespace rota {

namespace {

constexpr Nanoseconds kLookMost = 250 * kMillisecond;  // between two looks

}  // namespace

HeartbeatThread::HeartbeatThread(const HookSlot& doing, Nanoseconds every, std::function<bool()> say)
    : doing_(doing), every_(every), say_(std::move(say)), thread_([this] { run(); }) {}

HeartbeatThread::~HeartbeatThread() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  closed_.notify_all();
  thread_.join();
}

void HeartbeatThread::run() {
  const auto look = std::chrono::nanoseconds(std::min(kLookMost, every_ / 2));
  std::uint64_t seen = 0;                   // the hook of the last look
  Nanoseconds said_at = now_ns() - every_;  // the clock may have begun less than this ago
  std::unique_lock lock(mutex_);
  while (!closed_.wait_for(lock, look, [this] { return closing_; })) {
    const std::uint64_t hook = doing_.inside.load(std::memory_order_acquire) != 0 ? doing_.entered.load() : 0;
    // A thread that enters and leaves hooks sends its own beats.
    const bool stays = hook != 0 && hook == seen;
    seen = hook;
    if (!stays || now_ns() - said_at < every_) continue;
    lock.unlock();
    if (say_()) said_at = now_ns();
    lock.lock();
  }
}

}  // namespace rota
