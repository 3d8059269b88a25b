// apps/lasso/design_parallel.h -- a loop whose steps run at the same time.
#pragma once
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstddef>

namespace rota::lasso {

// Calls step(i) for i = 0 .. count-1, on the threads of the task arena that it is called in, and returns after all.
// What was written before is seen by all steps, and what they write by the caller.  oneTBB sees to that by itself; the
// two variables say it to ThreadSanitizer, which cannot look into oneTBB.
template <typename Step>
void run_in_parallel(std::size_t count, Step step) {
  std::atomic<bool> begun = true;
  std::atomic<std::size_t> done = 0;
  begun.store(true, std::memory_order_release);
  tbb::parallel_for(
      std::size_t{0}, count,
      [&](std::size_t i) {
        (void)begun.load(std::memory_order_acquire);
        step(i);
        done.fetch_add(1, std::memory_order_release);
      },
      tbb::simple_partitioner{});
  (void)done.load(std::memory_order_acquire);
}

}  // namespace rota::lasso
