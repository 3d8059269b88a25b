// With real threads; every wait has a timeout.
#include "core/runtime/compute.h"

#include <chrono>
#include <future>
#include <thread>

namespace rota {
namespace {

constexpr NodeId kNode{Role::worker, 0};
constexpr std::chrono::seconds kLongest{20};  // after which a wait fails

// Runs `work`, and does nothing in its continuation.
std::vector<Outbox::Started> work_of(std::function<void()> work, bool io) {
  return {{kNode,
           [work = std::move(work)]() -> Continuation {
             work();
             return [](Outbox&) { return Status(); };
           },
           io}};
}

// A checkpoint's write and fsync held up the only compute thread of a process with --threads=1.
TEST(Compute, ContinuesDuringFileOperations) {
  std::promise<void> pushed;
  std::promise<bool> written;
  Compute compute(1, [] {});
  compute.start(
      work_of([&] { written.set_value(pushed.get_future().wait_for(kLongest) == std::future_status::ready); }, true));
  compute.start(work_of([&] { pushed.set_value(); }, false));
  EXPECT_TRUE(written.get_future().get()) << "the push waited for the file";
}

TEST(Compute, EveryThreadWorksAtOnce) {
  constexpr unsigned kThreads = 4;
  std::atomic<unsigned> begun = 0;
  std::promise<void> all;
  const std::shared_future<void> all_begun = all.get_future().share();
  std::atomic<unsigned> saw = 0;
  Compute compute(kThreads, [] {});
  for (unsigned i = 0; i < kThreads; ++i)
    compute.start(work_of(
        [&] {
          if (++begun == kThreads) all.set_value();
          if (all_begun.wait_for(kLongest) == std::future_status::ready) ++saw;
        },
        false));
  for (std::size_t taken = 0; taken < kThreads;) taken += compute.take_ended().size();
  EXPECT_EQ(saw, kThreads);
}

TEST(Compute, FileWorkRunsInOrder) {
  std::vector<int> order;
  std::promise<void> last;
  std::atomic<int> woken = 0;
  Compute compute(2, [&] { ++woken; });
  for (int i = 0; i < 100; ++i)
    compute.start(work_of(
        [&order, &last, i] {
          order.push_back(i);  // by one thread only
          if (i == 99) last.set_value();
        },
        true));
  ASSERT_EQ(last.get_future().wait_for(kLongest), std::future_status::ready);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order.at(static_cast<std::size_t>(i)), i);
  std::size_t taken = 0;
  while (taken < 100) taken += compute.take_ended().size();
  EXPECT_GE(woken, 99);
}

TEST(Compute, TheStartingThreadHelps) {
  constexpr std::size_t kWorks = 20'000;
  std::vector<std::atomic<int>> done(kWorks);
  Compute compute(3, [] {});
  std::size_t helped = 0, taken = 0;
  for (std::size_t i = 0; i < kWorks; ++i) {
    compute.start(work_of([&done, i] { ++done[i]; }, false), Compute::Starter::helps);
    if (i % 8 == 7) helped += compute.help(kSecond, now_ns() + kSecond) ? 1 : 0;
  }
  const auto latest = std::chrono::steady_clock::now() + kLongest;
  while (taken < kWorks && std::chrono::steady_clock::now() < latest) taken += compute.take_ended().size();
  EXPECT_EQ(taken, kWorks);
  for (const auto& times : done) EXPECT_EQ(times, 1);
  EXPECT_GT(helped, 0U);
}

TEST(Compute, HelpDoesWhatWaitsForABusyThread) {
  std::promise<void> begun, go_on;
  std::atomic<bool> woken = false;
  Compute compute(1, [&] { woken = true; });
  compute.start(work_of(
      [&] {
        begun.set_value();
        go_on.get_future().wait_for(kLongest);
      },
      false));
  begun.get_future().wait();
  bool done = false;
  compute.start(work_of([&] { done = true; }, false), Compute::Starter::helps);
  EXPECT_TRUE(compute.help(kSecond, now_ns() + kSecond));
  EXPECT_TRUE(done);
  EXPECT_FALSE(compute.help(kSecond, now_ns() + kSecond));
  EXPECT_FALSE(woken) << "the helping thread takes its own ends";
  EXPECT_EQ(compute.take_ended().size(), 1U);
  go_on.set_value();
  EXPECT_TRUE(compute.close(kSecond * 20));
}

// No thread was woken for it, and the job never ended.
TEST(Compute, WhatAHelperDoesNotTakeIsTheThreads) {
  for (const Nanoseconds late : {kSecond, Nanoseconds{0}}) {
    std::promise<void> done;
    Compute compute(2, [] {});
    compute.start(work_of([&] { done.set_value(); }, false), Compute::Starter::helps);
    EXPECT_FALSE(compute.help(kSecond - 1, now_ns() + late)) << "it may take a second";
    EXPECT_EQ(done.get_future().wait_for(kLongest), std::future_status::ready);
  }
}

// The node's thread was woken for each of many short pushes.
TEST(Compute, GroupedWorkWakesOnce) {
  constexpr int kWorks = 100;
  std::promise<void> begun, go_on, ended;
  std::atomic<int> woken = 0, done = 0;
  Compute compute(1, [&] {
    if (++woken == 2) ended.set_value();
  });
  compute.start(work_of(
      [&] {
        begun.set_value();
        go_on.get_future().wait();
      },
      false));
  begun.get_future().wait();  // so that all others wait for it
  for (int i = 0; i < kWorks; ++i) {
    std::vector<Outbox::Started> started = work_of([&] { ++done; }, false);
    started.front().together = true;
    compute.start(std::move(started));
  }
  go_on.set_value();
  ASSERT_EQ(ended.get_future().wait_for(kLongest), std::future_status::ready);
  EXPECT_EQ(done, kWorks);
  EXPECT_EQ(woken, 2) << "for the first, which is separate, and for the last";
  EXPECT_EQ(compute.take_ended().size(), kWorks + 1U);
}

// The node's thread was woken for each of thousands of short tasks.
TEST(Compute, ChainedCompletionsRunOnTheThreadOfTheWork) {
  std::promise<void> last;
  std::atomic<int> woken = 0;
  int handled = 0;
  std::thread::id worked, asked;
  Compute* self = nullptr;
  Compute compute(
      1, [&] { ++woken; },
      [&] {
        asked = std::this_thread::get_id();
        handled += static_cast<int>(self->take_chained().size());
        if (handled == 100) last.set_value();
      });
  self = &compute;
  for (int i = 0; i < 100; ++i) {
    std::vector<Outbox::Started> started = work_of([&] { worked = std::this_thread::get_id(); }, false);
    started.front().chained = true;
    compute.start(std::move(started));
  }
  ASSERT_EQ(last.get_future().wait_for(kLongest), std::future_status::ready);
  EXPECT_EQ(worked, asked);
  EXPECT_EQ(woken, 0);
  EXPECT_FALSE(compute.has_chained());
}

// A separate one may be long: completions before it do not wait for its end.
TEST(Compute, CompletionsBeforeASeparateOneComeFirst) {
  std::promise<void> received, begun, go_on;
  std::promise<bool> was_received;
  std::atomic<int> woken = 0;
  Compute compute(1, [&] {
    if (++woken == 1) received.set_value();
  });
  std::vector<Outbox::Started> started = work_of(
      [&] {
        begun.set_value();
        go_on.get_future().wait();
      },
      false);
  started.front().together = true;
  compute.start(std::move(started));
  begun.get_future().wait();
  compute.start(work_of(
      [&] { was_received.set_value(received.get_future().wait_for(kLongest) == std::future_status::ready); }, false));
  go_on.set_value();
  EXPECT_TRUE(was_received.get_future().get());
}

TEST(Compute, UnstartedWorkIsDroppedAtTheEnd) {
  std::promise<void> begun, go_on;
  std::atomic<int> done = 0;
  {
    Compute compute(1, [] {});
    compute.start(work_of(
        [&] {
          begun.set_value();
          go_on.get_future().wait();
          ++done;
        },
        true));
    begun.get_future().wait();
    for (int i = 0; i < 1000; ++i) compute.start(work_of([&] { ++done; }, true));
    go_on.set_value();
  }
  EXPECT_GE(done, 1) << "what runs is waited for";
}

}  // namespace
}  // namespace rota
