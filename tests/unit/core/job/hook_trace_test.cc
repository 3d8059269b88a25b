#include "core/job/hook_trace.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

// Runs `act` in a child process that records its hooks in `file`; returns its id, after it has ended.
template <typename F>
std::uint64_t in_child(const std::filesystem::path& file, int& status, F&& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!open_hook_trace(file, "worker-3").ok()) ::_exit(99);
    std::forward<F>(act)();
    ::_exit(0);
  }
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return static_cast<std::uint64_t>(child);
}

class Doing : public TemporaryFolder {
 protected:
  std::filesystem::path file_ = folder / "log" / "worker-3.doing";
};

TEST_F(Doing, OutlivesAKilledProcess) {
  int status = 0;
  const auto pid = in_child(file_, status, [] {
    const HookNote note("lda", "Push::push", "round 12, shard 3");
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto words = crash_info(file_, pid);
  ASSERT_TRUE(words.has_value());
  EXPECT_EQ(words->signal, 0);
  EXPECT_EQ(words->hooks, "plugin lda, Push::push, round 12, shard 3");
  EXPECT_FALSE(crash_info(file_, pid + 1).has_value()) << "of another process";
}

TEST_F(Doing, ACrashReportsTheSignalAndTheHook) {
  for (const int number : {SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE}) {
    int status = 0;
    const auto pid = in_child(file_, status, [number] {
      const HookNote note("lda", "load", "");
      std::thread([number] {
        const HookNote other("lda", "Push::push", "round 1");
        ::raise(number);
      }).join();
    });
    EXPECT_NE(status, 0) << "the signal still ends it";
    const auto words = crash_info(file_, pid);
    ASSERT_TRUE(words.has_value());
    EXPECT_EQ(words->signal, number);
    EXPECT_EQ(words->hooks, "plugin lda, Push::push, round 1");
    EXPECT_TRUE(is_crash(number));
    EXPECT_TRUE(signal_name(number).starts_with("SIG"));
  }
}

TEST_F(Doing, ACrashOutsideAHookIsReported) {
  int status = 0;
  const auto pid = in_child(file_, status, [] {
    { const HookNote note("lda", "load", ""); }
    std::abort();
  });
  EXPECT_NE(status, 0);
  ASSERT_TRUE(crash_info(file_, pid).has_value());
  EXPECT_EQ(crash_info(file_, pid)->signal, SIGABRT);
  EXPECT_EQ(crash_info(file_, pid)->hooks, "");
}

TEST_F(Doing, ANestedHookIsReportedThenTheOuterOne) {
  int status = 0;
  const auto pid = in_child(file_, status, [] {
    const HookNote outer("lda", "start", "worker-3");
    { const HookNote inner("lda", "tables", ""); }
    ::raise(SIGKILL);
  });
  EXPECT_EQ(crash_info(file_, pid)->hooks, "plugin lda, start, worker-3");
}

TEST_F(Doing, ANormalEndLeavesNoFile) {
  int status = 0;
  const auto pid = in_child(file_, status, [] { remove_hook_trace(); });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_FALSE(crash_info(file_, pid).has_value());
}

}  // namespace
}  // namespace rota
