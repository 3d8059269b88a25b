#include "core/runtime/compute.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

namespace rota {

struct Compute::Arena {
  explicit Arena(unsigned threads)
      // One more than the arena's threads: the thread that enqueues counts, though it never computes.
      : limit(tbb::global_control::max_allowed_parallelism, threads + 1), arena(static_cast<int>(threads), 0) {}

  tbb::global_control limit;
  tbb::task_arena arena;
  std::atomic<bool> closing{false};
  std::mutex mutex;
  std::condition_variable idle;
  std::size_t running = 0;              // guarded by mutex
  std::deque<Outbox::Started> waiting;  // guarded by mutex
};

// The thread that waits for disks.  A checkpoint's write, fsync and hash on a compute thread would keep it from pushes.
struct Compute::Files {
  explicit Files(Compute& compute) : thread([this, &compute] { work_off(compute); }) {}
  ~Files() {
    {
      const std::scoped_lock lock(mutex);
      closing = true;
    }
    changed.notify_one();
    thread.join();
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void add(Outbox::Started started) {
    {
      const std::scoped_lock lock(mutex);
      waiting.push_back(std::move(started));
    }
    changed.notify_one();
  }

  void work_off(Compute& compute) {
    while (true) {
      Outbox::Started next;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return closing || !waiting.empty(); });
        if (closing) return;
        next = std::move(waiting.front());
        waiting.pop_front();
      }
      compute.run(next);
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Outbox::Started> waiting;  // guarded by mutex
  bool closing = false;                 // guarded by mutex
  std::thread thread;                   // last: it uses the others
};

// What the arena carries from thread to thread: whose next work is to be run, and no more.  It is read and written
// atomically because oneTBB's own handing over is invisible to ThreadSanitizer; the work itself waits behind a mutex.
class Compute::Turn {
 public:
  explicit Turn(Compute& compute) { set(&compute); }
  Turn(const Turn& other) { set(other.get()); }
  Turn& operator=(const Turn&) = delete;
  void operator()() const { get()->run_next(); }

 private:
  void set(Compute* compute) { std::atomic_ref(compute_).store(compute, std::memory_order_release); }
  Compute* get() const { return std::atomic_ref(compute_).load(std::memory_order_acquire); }

  mutable Compute* compute_;
};

Compute::Compute(unsigned threads, std::function<void()> woken)
    : arena_(std::make_unique<Arena>(threads)), woken_(std::move(woken)), files_(std::make_unique<Files>(*this)) {}

Compute::~Compute() {
  arena_->closing = true;
  files_.reset();
  std::unique_lock lock(arena_->mutex);
  arena_->idle.wait(lock, [this] { return arena_->running == 0; });
}

void Compute::run(Outbox::Started& started) {
  Continuation continuation = started.work();
  started.work = nullptr;  // what it held is freed here, not on the node's thread
  {
    const std::scoped_lock lock(mutex_);
    ended_.push_back({started.node, std::move(continuation)});
  }
  woken_();
}

void Compute::start(Outbox::Started started) {
  if (started.io) return files_->add(std::move(started));
  {
    const std::scoped_lock lock(arena_->mutex);
    ++arena_->running;
    arena_->waiting.push_back(std::move(started));
  }
  arena_->arena.enqueue(Turn(*this));
}

void Compute::run_next() {
  Outbox::Started next;
  {
    const std::scoped_lock lock(arena_->mutex);
    next = std::move(arena_->waiting.front());
    arena_->waiting.pop_front();
  }
  if (!arena_->closing) run(next);
  const std::scoped_lock lock(arena_->mutex);
  --arena_->running;
  arena_->idle.notify_all();
}

std::vector<Compute::Ended> Compute::take_ended() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ended_, {});
}

}  // namespace rota
