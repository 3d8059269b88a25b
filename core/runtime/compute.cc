#include "core/runtime/compute.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <optional>
#include <thread>

#include "core/runtime/polling.h"

namespace rota {

// Threads that look for work a while before they sleep, if the last came soon; all but one, whose core is for the
// thread that starts work, which looks for messages.
struct Compute::Pool {
  struct Sleeper {
    std::condition_variable_any woken;
    bool sleeps = false;
  };

  Pool(Compute& compute, unsigned thread_count) : sleepers(thread_count) {
    for (Sleeper& own : sleepers)
      threads.emplace_back([this, &compute, &own](const std::stop_token& stop) { work_off(compute, own, stop); });
  }

  // Wakes threads only for work that no other will take soon, and only until as many are awake, with one that helps, as
  // there are threads.
  void add(std::vector<Outbox::Started> all, Starter starter) {
    const std::scoped_lock lock(mutex);
    std::ranges::move(all, std::back_inserter(waiting));
    ready = true;
    const std::size_t take = looking + (starter == Starter::waits ? 0 : 1);
    const std::size_t awake = working + looking + (starter == Starter::helps ? 1 : 0);
    if (waiting.size() > take && awake < threads.size()) wake(std::min(waiting.size() - take, threads.size() - awake));
  }

  // For a thread that helps: the last, so that in each round this thread and the others work on the same shards, whose
  // data their cores' caches may still have.
  std::optional<Outbox::Started> take(Nanoseconds most) {
    const std::scoped_lock lock(mutex);
    const auto last = std::ranges::find_if(waiting.rbegin(), waiting.rend(),
                                           [most](const auto& work) { return work.expected <= most; });
    if (last == waiting.rend() || closing) return std::nullopt;
    return take(std::prev(last.base()));
  }
  // It helps no longer.
  void leave() {
    const std::scoped_lock lock(mutex);
    if (!waiting.empty()) wake(waiting.size());
  }

  bool next_is_together() {
    const std::scoped_lock lock(mutex);
    return !waiting.empty() && waiting.front().together;
  }

  // Begins nothing more.  False if something still runs after this time.
  bool close(Nanoseconds most) {
    std::unique_lock lock(mutex);
    closing = true;
    return idle.wait_for(lock, std::chrono::nanoseconds(most), [this] { return working == 0; });
  }

  void work_off(Compute& compute, Sleeper& own, const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    bool comes_soon = false;
    const auto wait = [&] {
      const Nanoseconds began = now_ns();
      if (comes_soon) look(lock, began + kPollMost);
      const bool come = own.woken.wait(lock, stop, [&] {
        own.sleeps = waiting.empty() || closing;
        return !own.sleeps;
      });
      own.sleeps = false;
      comes_soon = now_ns() - began < kSoon;
      return come;
    };
    while (wait()) {
      if (stop.stop_requested()) return;
      Outbox::Started next = take(waiting.begin());
      ++working;
      lock.unlock();
      if (compute.run(next)) compute.woken_();
      lock.lock();
      if (--working == 0) idle.notify_all();
    }
  }

 private:
  // Threads that sleep, always in the same order: so few of them work while rounds are short, and stay on their cores.
  void wake(std::size_t most) {
    for (Sleeper& one : sleepers) {
      if (most == 0) return;
      if (!std::exchange(one.sleeps, false)) continue;
      one.woken.notify_one();
      --most;
    }
  }

  // Until work waits, or until this time.
  void look(std::unique_lock<std::mutex>& lock, Nanoseconds until) {
    if (looking + 1 >= threads.size()) return;
    ++looking;
    while (waiting.empty() && now_ns() < until) {
      lock.unlock();
      do ::sched_yield();
      while (!ready && now_ns() < until);
      lock.lock();
    }
    --looking;
  }

  Outbox::Started take(std::deque<Outbox::Started>::iterator work) {
    Outbox::Started taken = std::move(*work);
    waiting.erase(work);
    ready = !waiting.empty();
    return taken;
  }

  std::mutex mutex;
  std::deque<Sleeper> sleepers;
  std::condition_variable idle;
  bool closing = false;  // guarded by mutex, as what follows
  unsigned working = 0, looking = 0;
  std::deque<Outbox::Started> waiting;
  std::atomic<bool> ready = false;    // whether work waits, for those who look
  std::vector<std::jthread> threads;  // last: they use the others
};

// Files have a thread of their own: a checkpoint's write, fsync and hash would keep a compute thread from pushes.
Compute::Compute(unsigned threads, std::function<void()> woken, std::function<void()> chained)
    : woken_(std::move(woken)),
      chained_(std::move(chained)),
      files_(std::make_unique<Pool>(*this, 1)),
      pool_(std::make_unique<Pool>(*this, threads)) {}

Compute::~Compute() {
  pool_->close(0);
}

bool Compute::close(Nanoseconds most) {
  return pool_->close(most);
}

bool Compute::run(Outbox::Started& started) {
  Continuation continuation = started.work();
  started.work = nullptr;  // what it held is freed here, not on the node's thread
  const bool chained = started.chained && chained_ != nullptr;
  {
    const std::scoped_lock lock(mutex_);
    (chained ? chained_ended_ : ended_).push_back({started.node, std::move(continuation)});
  }
  if (chained) {
    chained_();
    return false;
  }
  // The last of them wakes the node's thread for all: a thread that is woken for each would cost more than short work.
  return !(started.together && pool_->next_is_together());
}

void Compute::start(std::vector<Outbox::Started> all, Starter starter) {
  const auto files = std::stable_partition(all.begin(), all.end(), [](const auto& one) { return !one.io; });
  std::vector<Outbox::Started> io(std::make_move_iterator(files), std::make_move_iterator(all.end()));
  all.erase(files, all.end());
  if (!io.empty()) files_->add(std::move(io), Starter::waits);
  if (!all.empty()) pool_->add(std::move(all), starter);
}

bool Compute::help(Nanoseconds most, Nanoseconds until) {
  bool helped = false;
  while (now_ns() < until) {
    std::optional<Outbox::Started> next = pool_->take(most);
    if (!next) break;
    run(*next);
    helped = true;
  }
  pool_->leave();
  return helped;
}

std::vector<Compute::Ended> Compute::take_ended() {
  const std::scoped_lock lock(mutex_);
  std::vector<Ended> all = std::exchange(ended_, {});
  std::move(chained_ended_.begin(), chained_ended_.end(), std::back_inserter(all));
  chained_ended_.clear();
  return all;
}

}  // namespace rota
