#include "core/base/process_limits.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace rota {
namespace {

TEST(ProcessLimits, AProcessTakesAllDescriptorsThatItMayHave) {
  struct rlimit files = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const struct rlimit few = {30, files.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_TRUE(check_descriptors(30).ok());
  const Status status = check_descriptors(31);
  EXPECT_EQ(status.code(), ExitCode::temporary);
  EXPECT_EQ(status.what(), "a process may open 30 files and connections (ulimit -n), and 31 are needed");
  ASSERT_TRUE(take_limits().ok());
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(files.rlim_cur, files.rlim_max);
}

// SIGXFSZ ended every process five times.
TEST(ProcessLimits, AFileBeyondItsLimitIsAnErrorOfWrite) {
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_TRUE(take_limits().ok());
  EXPECT_EQ(std::signal(SIGXFSZ, SIG_DFL), SIG_IGN);
}

// A folder was opened as descriptor 0, and was read as standard input.
TEST(ProcessLimits, NoFileGetsTheNumberOfStdin) {
  const int kept = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  ASSERT_TRUE(take_limits().ok());
  const int file = ::open("/", O_RDONLY);
  EXPECT_GT(file, STDERR_FILENO);
  char byte = 0;
  EXPECT_EQ(::read(STDIN_FILENO, &byte, 1), 0);
  ::close(file);
  if (kept >= 0) ::dup2(kept, STDIN_FILENO);
}

TEST(ProcessLimits, ASmallStackIsReported) {
  struct rlimit stack = {};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &stack), 0);
  const struct rlimit small = {64 << 10, stack.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &small), 0);
  const Status status = take_limits();
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &stack), 0);
  EXPECT_EQ(status.code(), ExitCode::temporary);
  EXPECT_EQ(status.what(), "the limit of a stack is 64 KiB (ulimit -s), and 256 are needed");
}

TEST(ProcessLimits, ThreadsThatCannotBeMadeAreReported) {
  EXPECT_TRUE(check_threads(5).ok());
  pthread_attr_t usual, vast;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&vast), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&vast, std::size_t{1} << 47), 0) << "more than there are addresses";
  ASSERT_EQ(pthread_setattr_default_np(&vast), 0);
  const Status status = check_threads(5);
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_EQ(status.code(), ExitCode::temporary);
  EXPECT_TRUE(status.what().starts_with("only 0 of 5 threads can be made: ")) << status.what();
}

TEST(ProcessLimits, TheMemoryOfProcessesIsTheMachinesOrTheirLimit) {
  const auto machine =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t before = memory_for_each(1);
  EXPECT_GT(before, 0U);
  EXPECT_LE(before, machine);
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer has more addresses than any limit here allows";
#endif
  struct rlimit data = {};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &data), 0);
  const struct rlimit less = {before - 1, data.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  EXPECT_EQ(memory_for_each(1), before - 1);
  EXPECT_EQ(memory_for_each(2), before / 2) << "the limit is that of each process";
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &data), 0);
}

}  // namespace
}  // namespace rota
