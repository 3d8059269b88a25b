#include "core/runtime/compute.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <thread>

namespace rota {

// Threads that sleep while there is nothing to do: to look for work a while, as schedulers of tasks do, would keep
// other processes of a busy machine from their cores.
struct Compute::Pool {
  Pool(Compute& compute, unsigned thread_count) {
    for (unsigned i = 0; i < thread_count; ++i)
      threads.emplace_back([this, &compute](const std::stop_token& stop) { work_off(compute, stop); });
  }

  void add(Outbox::Started started) {
    {
      const std::scoped_lock lock(mutex);
      waiting.push_back(std::move(started));
      if (working == threads.size()) return;  // one of these takes it
    }
    changed.notify_one();
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
    while (changed.wait(lock, stop, [this] { return !waiting.empty() && !closing; })) {
      if (stop.stop_requested()) return;
      Outbox::Started next = std::move(waiting.front());
      waiting.pop_front();
      ++working;
      lock.unlock();
      compute.run(next);
      lock.lock();
      if (--working == 0) idle.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable_any changed;
  std::condition_variable idle;
  bool closing = false;  // guarded by mutex, as what follows
  unsigned working = 0;
  std::deque<Outbox::Started> waiting;
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

void Compute::run(Outbox::Started& started) {
  Continuation continuation = started.work();
  started.work = nullptr;  // what it held is freed here, not on the node's thread
  const bool chained = started.chained && chained_ != nullptr;
  {
    const std::scoped_lock lock(mutex_);
    (chained ? chained_ended_ : ended_).push_back({started.node, std::move(continuation)});
  }
  if (chained) return chained_();
  // The last of them wakes the node's thread for all: a thread that is woken for each would cost more than short work.
  if (started.together && pool_->next_is_together()) return;
  woken_();
}

void Compute::start(Outbox::Started started) {
  (started.io ? files_ : pool_)->add(std::move(started));
}

std::vector<Compute::Ended> Compute::take_ended() {
  const std::scoped_lock lock(mutex_);
  std::vector<Ended> all = std::exchange(ended_, {});
  std::move(chained_ended_.begin(), chained_ended_.end(), std::back_inserter(all));
  chained_ended_.clear();
  return all;
}

}  // namespace rota
