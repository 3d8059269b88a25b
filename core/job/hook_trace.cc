#include "core/job/hook_trace.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/job/run_folder.h"

namespace rota {

namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE};
constexpr std::array kCrashNames = {"SIGSEGV", "SIGABRT", "SIGILL", "SIGBUS", "SIGFPE"};
constexpr std::size_t kSlots = 255;  // threads beyond these are not in the file, except when they crash
constexpr std::size_t kHandlerStack = 64 << 10;
constexpr char kMagic[8] = {'R', 'O', 'T', 'A', 'd', 'o', 'n', '1'};
constexpr std::size_t kThreadsNamed = 4;  // threads that crash_info() names

struct Page {
  char magic[8];
  std::uint64_t pid;
  std::atomic<std::uint32_t> used;  // slots
  std::atomic<std::int32_t> signal;
  std::uint32_t crashed_size;
  char crashed[HookSlot::kTextBytes];
  HookSlot slots[kSlots];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

// Until there is a file; zeros, as a new file is.
Page unkept;
std::atomic<Page*> page{&unkept};
std::filesystem::path kept_file;
char name_of_process[64];
std::array<struct sigaction, kCrashes.size()> before;

struct EndOfStack {
  void operator()(std::byte* memory) const {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    delete[] memory;
  }
};

// A handler needs a stack of its own where the thread's has overflown.
std::unique_ptr<std::byte[], EndOfStack> make_handler_stack() {
  stack_t now = {};
  // A sanitizer has one already, and frees what it finds.
  if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return nullptr;
  std::unique_ptr<std::byte[], EndOfStack> memory(new std::byte[kHandlerStack]());
  stack_t ours = {};
  ours.ss_sp = memory.get();
  ours.ss_size = kHandlerStack;
  ::sigaltstack(&ours, nullptr);
  return memory;
}

thread_local HookSlot own_slot;  // of a thread for which the page has no room
thread_local HookSlot* slot = nullptr;
thread_local const HookNote* innermost = nullptr;

HookSlot& slot_here() {
  if (slot != nullptr) return *slot;
  thread_local const auto stack = make_handler_stack();
  Page& here = *page;
  const std::uint32_t index = here.used.fetch_add(1);
  slot = index < kSlots ? &here.slots[index] : &own_slot;
  return *slot;
}

std::size_t crash_index(int signal) {
  return static_cast<std::size_t>(std::ranges::find(kCrashes, signal) - kCrashes.begin());
}

// Joins the parts, as far as there is room for them.  Safe in a signal handler.
std::size_t join(std::span<char> to, std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    const std::size_t fits = std::min(part.size(), to.size() - size);
    std::memcpy(to.data() + size, part.data(), fits);
    size += fits;
  }
  return size;
}

// Only what is safe in a signal handler.
void on_crash(int signal, siginfo_t* info, void*) {
  Page& here = *page;
  std::int32_t none = 0;
  // The first one counts: others may be its consequence.
  if (here.signal.compare_exchange_strong(none, -1)) {
    const bool inside = slot != nullptr && slot->inside != 0;
    if (inside) std::memcpy(here.crashed, slot->text, slot->size);
    here.crashed_size = inside ? slot->size : 0;
    here.signal = signal;
    char line[512];
    const std::size_t size =
        join(line, {"event=crash role=", name_of_process, " signal=", kCrashNames[crash_index(signal)], " in=\"",
                    std::string_view(here.crashed, here.crashed_size), "\"\n"});
    for (const int fd : {STDERR_FILENO, log_descriptor()})
      if (fd >= 0 && ::write(fd, line, size) < 0) continue;  // nothing more can be done
  }
  ::sigaction(signal, &before[crash_index(signal)], nullptr);
  // What an instruction did, it does again on return; what was sent has to be sent again.
  if (info->si_code <= 0) ::raise(signal);
}

void catch_crashes() {
  slot_here();
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &action, &before[i]);
}

Result<Page*> map_page(const std::filesystem::path& file) {
  const auto failed = [&](ExitCode code, int error) {
    return Status(code, "cannot write " + file.string() + ": " + std::generic_category().message(error));
  };
  // A new file: an earlier start may still map the old one, and its crash info may still be read.
  ::rename(file.c_str(), RunFolder::before(file).c_str());
  const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd.open()) return failed(ExitCode::cannot_write, errno);
  // A full disk must be seen here, and not by a write to memory.
  if (const int error = ::posix_fallocate(fd.get(), 0, sizeof(Page)); error != 0) return failed(ExitCode::disk, error);
  void* const at = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return failed(ExitCode::disk, errno);
  return static_cast<Page*>(at);
}

}  // namespace

HookNote::HookNote(std::string_view plugin, std::string_view hook, std::string_view where)
    : plugin_(plugin), hook_(hook), where_(where), slot_(slot_here()), outer_(innermost) {
  innermost = this;
  write();
}

HookNote::~HookNote() {
  innermost = outer_;
  if (outer_ != nullptr)
    outer_->write();
  else
    slot_.inside.store(0, std::memory_order_release);
}

void HookNote::write() const {
  slot_.entered.fetch_add(1, std::memory_order_acq_rel);
  slot_.size = static_cast<std::uint32_t>(
      join(slot_.text, {"plugin ", plugin_, ", ", hook_, where_.empty() ? "" : ", ", where_}));
  slot_.inside.store(1, std::memory_order_relaxed);
  slot_.entered.fetch_add(1, std::memory_order_release);
}

const HookSlot& hook_slot_of_this_thread() {
  return slot_here();
}

Status open_hook_trace(const std::filesystem::path& file, std::string_view process) {
  const std::size_t size = std::min(process.size(), sizeof name_of_process - 1);
  std::memcpy(name_of_process, process.data(), size);
  const Status folder = make_folder(file.parent_path());
  auto mapped = folder.ok() ? map_page(file) : Result<Page*>(folder);
  if (mapped.ok()) {
    std::memcpy((*mapped)->magic, kMagic, sizeof kMagic);
    (*mapped)->pid = static_cast<std::uint64_t>(::getpid());
    page = *mapped;
    slot = nullptr;
    kept_file = file;
  }
  catch_crashes();
  return mapped.ok() ? Status() : mapped.status();
}

void remove_hook_trace() {
  std::error_code ignored;
  if (kept_file.empty()) return;
  std::filesystem::remove(kept_file, ignored);
  std::filesystem::remove(RunFolder::before(kept_file), ignored);
}

std::optional<CrashInfo> crash_info(const std::filesystem::path& file, std::uint64_t pid) {
  const auto left = std::make_unique<Page>();
  const auto is_of = [&](const std::filesystem::path& one) {
    const auto bytes = read_whole_file(one, sizeof(Page));
    if (!bytes.ok() || bytes->size() != sizeof(Page)) return false;
    std::memcpy(static_cast<void*>(left.get()), bytes->data(), sizeof(Page));
    return std::memcmp(left->magic, kMagic, sizeof kMagic) == 0 && left->pid == pid;
  };
  if (!is_of(file) && !is_of(RunFolder::before(file))) return std::nullopt;
  CrashInfo info;
  info.signal = std::max<int>(left->signal, 0);
  if (info.signal != 0) {
    info.hooks.assign(left->crashed, std::min<std::size_t>(left->crashed_size, sizeof left->crashed));
    return info;
  }
  std::size_t named = 0;
  for (const HookSlot& one : left->slots) {
    if (one.inside == 0 || one.entered % 2 != 0 || named == kThreadsNamed) continue;
    info.hooks += (named++ == 0 ? "" : "; ") + std::string(one.text, std::min<std::size_t>(one.size, sizeof one.text));
  }
  return info;
}

std::string signal_name(int number) {
  return is_crash(number) ? kCrashNames[crash_index(number)] : "signal " + std::to_string(number);
}

bool is_crash(int signal) {
  return crash_index(signal) < kCrashes.size();
}

}  // namespace rota
