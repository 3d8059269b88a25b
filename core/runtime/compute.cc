#include "core/runtime/compute.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <thread>

namespace rota {

struct Compute::Arena {
  explicit Arena(unsigned thread_count)
      // One more than the arena's threads: the thread that enqueues counts, though it never computes.
      : threads(thread_count),
        limit(tbb::global_control::max_allowed_parallelism, threads + 1),
        arena(static_cast<int>(threads), 0) {}

  const unsigned threads;
  tbb::global_control limit;
  tbb::task_arena arena;
  std::mutex mutex;
  std::condition_variable idle;
  bool closing = false;  // guarded by mutex, as what follows
  unsigned working = 0;  // threads that take what waits until nothing does
  std::deque<Outbox::Started> waiting;
};

// The thread that waits for disks.  A checkpoint's write, fsync and hash on a compute thread would keep it from pushes.
struct Compute::Files {
  explicit Files(Compute& compute)
      : thread([this, &compute](const std::stop_token& stop) { work_off(compute, stop); }) {}

  void add(Outbox::Started started) {
    {
      const std::scoped_lock lock(mutex);
      waiting.push_back(std::move(started));
    }
    changed.notify_one();
  }

  void work_off(Compute& compute, const std::stop_token& stop) {
    while (true) {
      Outbox::Started next;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [this] { return !waiting.empty(); });
        if (stop.stop_requested()) return;
        next = std::move(waiting.front());
        waiting.pop_front();
      }
      compute.run(next);
    }
  }

  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Outbox::Started> waiting;  // guarded by mutex
  std::jthread thread;                  // last: it uses the others
};

// What the arena passes from thread to thread: only the owner of the work to be done.  It is read and written
// atomically because oneTBB's own synchronisation is invisible to ThreadSanitizer; a mutex guards the work itself.
// An exception, which can only be missing memory, ends the process as on any other thread: oneTBB would abort with
// a message of its own.
class Compute::Turn {
 public:
  explicit Turn(Compute& compute) { set(&compute); }
  Turn(const Turn& other) { set(other.get()); }
  Turn& operator=(const Turn&) = delete;
  void operator()() const noexcept { get()->work_off(); }

 private:
  void set(Compute* compute) { std::atomic_ref(compute_).store(compute, std::memory_order_release); }
  Compute* get() const { return std::atomic_ref(compute_).load(std::memory_order_acquire); }

  mutable Compute* compute_;
};

Compute::Compute(unsigned threads, std::function<void()> woken, std::function<void()> chained)
    : arena_(std::make_unique<Arena>(threads)),
      woken_(std::move(woken)),
      chained_(std::move(chained)),
      files_(std::make_unique<Files>(*this)) {}

Compute::~Compute() {
  close_arena();
  files_.reset();
  std::unique_lock lock(arena_->mutex);
  arena_->idle.wait(lock, [this] { return arena_->working == 0; });
}

void Compute::close_arena() {
  const std::scoped_lock lock(arena_->mutex);
  arena_->closing = true;
}

bool Compute::close(Nanoseconds most) {
  close_arena();
  std::unique_lock lock(arena_->mutex);
  return arena_->idle.wait_for(lock, std::chrono::nanoseconds(most), [this] { return arena_->working == 0; });
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
  if (started.together) {
    // The last of them wakes the node's thread for all: a thread that is woken for each would cost more than short
    // work.
    const std::scoped_lock lock(arena_->mutex);
    if (!arena_->waiting.empty() && arena_->waiting.front().together) return;
  }
  woken_();
}

void Compute::start(Outbox::Started started) {
  if (started.io) return files_->add(std::move(started));
  {
    const std::scoped_lock lock(arena_->mutex);
    arena_->waiting.push_back(std::move(started));
    if (arena_->working == arena_->threads) return;
    ++arena_->working;
  }
  arena_->arena.enqueue(Turn(*this));
}

void Compute::work_off() {
  while (true) {
    Outbox::Started next;
    {
      const std::scoped_lock lock(arena_->mutex);
      if (arena_->closing || arena_->waiting.empty()) {
        --arena_->working;
        return arena_->idle.notify_all();
      }
      next = std::move(arena_->waiting.front());
      arena_->waiting.pop_front();
    }
    run(next);
  }
}

std::vector<Compute::Ended> Compute::take_ended() {
  const std::scoped_lock lock(mutex_);
  std::vector<Ended> all = std::exchange(ended_, {});
  std::move(chained_ended_.begin(), chained_ended_.end(), std::back_inserter(all));
  chained_ended_.clear();
  return all;
}

}  // namespace rota
