// apps/lasso/design/parallel.h -- a loop whose steps run in parallel.
#pragma once
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace rota::linear {

// Calls step(i) for i = 0 ..  count-1, on the number of threads of the task arena that it is called in, and returns
// after all.  Steps see what was written before, and the caller sees what they write.  After a step throws, no others
// begin, and of all exceptions that of the smallest i is rethrown: the same one in every run.
//
// The threads are created for the loop instead of using oneTBB's: ThreadSanitizer cannot see into oneTBB, and reports
// everything that its parallel_for hands over as a race.
template <typename Step>
void run_in_parallel(std::size_t count, Step step) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr wrong;  // of step `first_wrong`; both guarded by mutex
  std::size_t first_wrong = std::numeric_limits<std::size_t>::max();
  const auto work_off = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        step(i);
      } catch (...) {
        next = count;
        const std::scoped_lock lock(mutex);
        if (i > first_wrong) continue;
        first_wrong = i;
        wrong = std::current_exception();
      }
    }
  };
  {
    const auto threads = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work_off);
    work_off();
  }
  if (wrong) std::rethrow_exception(wrong);
}

}  // namespace rota::linear
