// core/runtime/heartbeat_thread.h -- sends heartbeats while a node's thread is in a hook of the plugin, however long
// that takes.
//
// Hooks may be slow, and a process in one is not lost.  A thread that hangs anywhere else sends nothing, and its
// process is taken for lost.
#pragma once
#include <functional>
#include <thread>

#include "core/base/clock.h"
#include "core/job/hook_trace.h"

namespace rota {

// While the thread of `doing` is in one and the same hook, the new thread calls `say` about every `every`; false means
// that sending failed, and is tried again soon.
std::jthread heartbeat_thread(const HookSlot& doing, Nanoseconds every, std::function<bool()> say);

}  // namespace rota
