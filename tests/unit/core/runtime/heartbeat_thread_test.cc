#include "core/runtime/heartbeat_thread.h"

#include <atomic>
#include <thread>

namespace rota {
namespace {

// A thread that is in a hook until the end.
class InHook {
 public:
  InHook() : thread_([this] { run(); }) {
    while (doing_ == nullptr) std::this_thread::yield();
  }
  ~InHook() {
    leave_ = true;
    thread_.join();
  }
  const HookSlot& doing() const { return *doing_; }

 private:
  void run() {
    const HookNote note("lda", "Schedule::next", "round 1");
    doing_ = &hook_slot_of_this_thread();
    while (!leave_) std::this_thread::yield();
  }

  std::atomic<const HookSlot*> doing_{nullptr};
  std::atomic<bool> leave_{false};
  std::thread thread_;
};

void wait_for(const std::atomic<int>& count, int wanted) {
  while (count < wanted) std::this_thread::yield();
}

TEST(HeartbeatThread, SendsHeartbeatsOnlyDuringAHook) {
  const InHook hook;
  std::atomic<int> of_hook{0}, of_other{0};
  const std::jthread idle =
      heartbeat_thread(hook_slot_of_this_thread(), kMillisecond, [&] { return ++of_other, true; });
  const std::jthread busy = heartbeat_thread(hook.doing(), kMillisecond, [&] { return ++of_hook, true; });
  wait_for(of_hook, 20);
  EXPECT_EQ(of_other, 0) << "a thread that hangs outside of hooks sends none";
}

TEST(HeartbeatThread, RetriesUnsentHeartbeats) {
  const InHook hook;
  std::atomic<int> tried{0};
  const std::jthread busy = heartbeat_thread(hook.doing(), 3600 * kSecond, [&] { return ++tried > 2; });
  wait_for(tried, 3);
  EXPECT_EQ(tried, 3);
}

// No heartbeat is sent for a thread that enters and leaves hooks.
TEST(HeartbeatThread, StopsWhenTheThreadLeavesItsHooks) {
  const InHook hook;
  std::atomic<int> of_hook{0}, of_other{0};
  const std::jthread passing =
      heartbeat_thread(hook_slot_of_this_thread(), 400 * kMillisecond, [&] { return ++of_other, true; });
  const std::jthread busy = heartbeat_thread(hook.doing(), 400 * kMillisecond, [&] { return ++of_hook, true; });
  while (of_hook < 3) const HookNote note("lda", "Schedule::next", "round 1");
  EXPECT_EQ(of_other, 0);
}

}  // namespace
}  // namespace rota
