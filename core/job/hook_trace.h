// core/job/hook_trace.h -- which hook of a plugin every thread of this process is in, kept where a crash cannot lose
// it.
//
// Each thread that calls hooks has a slot in a mapped file of the run's folder.  A crash (SIGSEGV, SIGABRT, SIGILL,
// SIGBUS, SIGFPE) is noted too, reported in one line on stderr and in the log, and then ends the process.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace rota {

// Part of a file's format, and read by signal handlers and other threads.
struct HookSlot {
  static constexpr std::size_t kTextBytes = 240;

  std::atomic<std::uint64_t> entered;  // hooks that the thread has entered or come back to; odd while the text changes
  std::atomic<std::uint32_t> inside;   // whether it is in one
  std::uint32_t size;                  // of the text, at most kTextBytes
  char text[kTextBytes];               // "plugin lda, Push::push, round 12, shard 3"
};

// While it lives, the calling thread is in this hook.  The texts live as long.  Costs two copies of the text.
class HookNote {
 public:
  HookNote(std::string_view plugin, std::string_view hook, std::string_view where);
  ~HookNote();
  HookNote(const HookNote&) = delete;
  HookNote& operator=(const HookNote&) = delete;

 private:
  void write() const;

  std::string_view plugin_, hook_, where_;
  HookSlot& slot_;
  const HookNote* outer_;
};

// That of the calling thread; valid until it ends.
const HookSlot& hook_slot_of_this_thread();

// Maps the slots of this process into `file` from here on, and catches the signals.  `process` is "worker-0".  Call
// before there are threads.  Without the file (ExitCode::cannot_write, disk) the signals are caught all the same.
Status open_hook_trace(const std::filesystem::path& file, std::string_view process);
// The process ends without a fault, and the file is not needed.
void remove_hook_trace();

struct CrashInfo {
  int signal = 0;     // of its own; 0: none that it could catch
  std::string hooks;  // that the thread with the signal was in, or all threads; "" for none
};
// Of the process of this id, from its `file`: of the newest start or the one before; nothing if it was neither.
std::optional<CrashInfo> crash_info(const std::filesystem::path& file, std::uint64_t pid);

// "SIGSEGV"; "signal 42" if it is none of those above.
std::string signal_name(int number);
// Whether a process ends itself with it: our bug, or a plugin's.
bool is_crash(int signal);

}  // namespace rota
