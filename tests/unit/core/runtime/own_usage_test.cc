#include "core/runtime/own_usage.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstring>
#include <future>
#include <thread>

namespace rota {
namespace {

// Makes this thread busy until it has had that much processor time.
void compute(Nanoseconds time) {
  timespec now = {};
  const auto used = [&now] { return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), now.tv_sec * kSecond + now.tv_nsec; };
  const Nanoseconds until = used() + time;
  while (used() < until) {
  }
}

TEST(OwnUsage, TimeIsThatOfZeroMqsThreads) {
  std::promise<void> named, made, computed, read;
  std::thread carrier([&] {
    pthread_setname_np(pthread_self(), "ZMQbg/IO/0");
    named.set_value();
    made.get_future().wait();
    compute(20 * kMillisecond);
    computed.set_value();
    read.get_future().wait();
  });
  named.get_future().wait();
  const OwnUsage usage;
  const Nanoseconds before = usage.read().wire;
  compute(100 * kMillisecond);
  EXPECT_LT(usage.read().wire - before, 50 * kMillisecond) << "another thread's does not count";
  made.set_value();
  computed.get_future().wait();
  EXPECT_GE(usage.read().wire - before, 20 * kMillisecond);
  read.set_value();
  carrier.join();
}

TEST(OwnUsage, MemoryIsWhatIsResidentNow) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const OwnUsage usage;
  const std::uint64_t before = usage.read().memory;
  EXPECT_GT(before, std::uint64_t{1} << 20);
  // Of the system: what a sanitizer's allocator gets back stays resident for a while.
  void* const block = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  EXPECT_GT(usage.read().memory, before + kBytes / 2);
  ::munmap(block, kBytes);
  const Outbox::Usage after = usage.read();
  EXPECT_LT(after.memory, before + kBytes / 2);
  EXPECT_GT(after.peak_memory, before + kBytes / 2);
}

TEST(OwnUsage, AThreadThatIsNotThereHasNoTime) {
  EXPECT_EQ(processor_time_ns(0x7ffffff), 0);
}

}  // namespace
}  // namespace rota
