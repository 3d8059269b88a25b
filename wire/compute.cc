#include "wire/compute.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <condition_variable>

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
  std::size_t running = 0;  // guarded by mutex
};

Compute::Compute(unsigned threads, std::function<void()> woken)
    : arena_(std::make_unique<Arena>(threads)), woken_(std::move(woken)) {}

Compute::~Compute() {
  arena_->closing = true;
  std::unique_lock lock(arena_->mutex);
  arena_->idle.wait(lock, [this] { return arena_->running == 0; });
}

void Compute::start(Outbox::Started started) {
  {
    const std::scoped_lock lock(arena_->mutex);
    ++arena_->running;
  }
  // Shared because the arena wants to be able to copy what it runs.
  const auto shared = std::make_shared<Outbox::Started>(std::move(started));
  arena_->arena.enqueue([this, shared] {
    if (!arena_->closing) {
      Continuation continuation = shared->work();
      shared->work = nullptr;  // what it held is freed here, not on the node's thread
      {
        const std::scoped_lock lock(mutex_);
        ended_.push_back({shared->node, std::move(continuation)});
      }
      woken_();
    }
    const std::scoped_lock lock(arena_->mutex);
    --arena_->running;
    arena_->idle.notify_all();
  });
}

std::vector<Compute::Ended> Compute::take_ended() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ended_, {});
}

}  // namespace rota
