// core/runtime/heartbeat_thread.h -- sends heartbeats while a node's thread is in a hook of the plugin, however long
// that takes.
//
// Hooks may be slow, and a process in one is not lost.  A thread that hangs anywhere else sends nothing, and its
// process is taken for lost.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/clock.h"
#include "core/job/hook_trace.h"

namespace rota {

class HeartbeatThread {
 public:
  // While the thread of `doing` is in one and the same hook, `say` is called from a thread of its own about every
  // `every`; false means that sending failed, and is tried again soon.
  HeartbeatThread(const HookSlot& doing, Nanoseconds every, std::function<bool()> say);
  ~HeartbeatThread();
  HeartbeatThread(const HeartbeatThread&) = delete;
  HeartbeatThread& operator=(const HeartbeatThread&) = delete;

 private:
  void run();

  const HookSlot& doing_;
  Nanoseconds every_;
  std::function<bool()> say_;
  std::mutex mutex_;
  std::condition_variable closed_;
  bool closing_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace rota
