// core/base/seed.h -- which random numbers a hook gets.
//
// Counter-based (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a stream is a pure function
// of the job's seed and of what the task is, so any process can make it, again if need be.
#pragma once
#include <cstdint>

#include "rota/random.h"

namespace rota {

// Part of what a seed means: never change or reuse a number.
enum class Stream : std::uint64_t {
  schedule = 1,
  push_slice = 2,
  push_shared = 3,
  start = 4,
  start_common = 5,
  start_slice = 6,
  load = 7,
  start_row = 8,
  push_exchange = 9,
  pull = 10
};

// `a`, `b`, `c` name the task: for push_slice epoch, shard, slice; for push_shared and push_exchange epoch, shard,
// round; for schedule epoch, scheduler, 0; for start the shard, for start_slice the slice, and zeros; for start_row
// table, key, 0; for load and pull zeros.
Random random_for(std::uint64_t seed, Stream stream, std::uint64_t a, std::uint64_t b, std::uint64_t c);

// PullTask::seed.
inline std::uint64_t pull_seed(std::uint64_t seed) {
  return random_for(seed, Stream::pull, 0, 0, 0)();
}

}  // namespace rota
