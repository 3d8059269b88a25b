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
  Pool(Compute& compute, unsigned thread_count) {
    for (unsigned i = 0; i < thread_count; ++i)
      threads.emplace_back([this, &compute](const std::stop_token& stop) { work_off(compute, stop); });
  }

  // Wakes a thread only if no other will take the work soon, and if not as many are awake, with one that helps, as
  // there are threads.
  void add(Outbox::Started started, Starter starter) {
    {
      const std::scoped_lock lock(mutex);
      waiting.push_back(std::move(started));
      ready = true;
      const std::size_t take = looking + (starter == Starter::waits ? 0 : 1);
      const std::size_t awake = working + looking + (starter == Starter::helps ? 1 : 0);
      if (waiting.size() <= take || awake >= threads.size()) return;
    }
    changed.notify_one();
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
    {
      const std::scoped_lock lock(mutex);
      if (waiting.empty()) return;
    }
    changed.notify_all();
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

  void work_off(Compute& compute, const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    bool comes_soon = false;
    const auto wait = [&] {
      const Nanoseconds began = now_ns();
      if (comes_soon) look(lock, began + kPollMost);
      const bool come = changed.wait(lock, stop, [this] { return !waiting.empty() && !closing; });
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
  std::condition_variable_any changed;
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

void Compute::start(Outbox::Started started, Starter starter) {
  if (started.io)
    files_->add(std::move(started), Starter::waits);
  else
    pool_->add(std::move(started), starter);
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
