// apps/sgd/exact/optimum.h -- the shards and pulls of the optimisers that end at the optimum.
#pragma once
#include <cstdint>
#include <memory>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/rows_push.h"
#include "rota/pull.h"

namespace rota::sgd {

// With few features a gradient round computes the whole Hessian, and no products with it are needed.
inline bool has_whole_hessian(Key keys, std::uint32_t outputs) {
  constexpr Key kMostNumbers = Key{1} << 19;
  return keys <= kMostNumbers && keys * keys * outputs <= kMostNumbers;
}
inline std::uint32_t newton_part_width(Key keys, std::uint32_t outputs) {
  return outputs * (2 + (has_whole_hessian(keys, outputs) ? static_cast<std::uint32_t>(keys) : 0)) + 2;
}

// Newton's method by conjugate gradients, and svm.  `most`: an upper limit for the gradient at the beginning
// (most_of_first_gradient()).
std::unique_ptr<Push> newton_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                  ShardRows held_out);
std::unique_ptr<Pull> newton_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, Key keys,
                                  double most);

std::unique_ptr<Push> svrg_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                ShardRows held_out);
std::unique_ptr<Pull> svrg_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most);

}  // namespace rota::sgd
