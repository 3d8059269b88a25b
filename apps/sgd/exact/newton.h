// apps/sgd/exact/newton.h -- Newton's method by conjugate gradients: its shards, which have gradient and curvature of
// their rows' losses, and the pull that makes the steps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/rows_push.h"
#include "rota/pull.h"

namespace rota::sgd {

// The points of a line search, as shares of the step.  All are evaluated in one round, so they are fewer if losses are
// expensive.
inline std::span<const double> shares_of_step(Loss loss) {
  static constexpr double kMany[] = {1,    0.8,  0.6,  0.45,  0.33,  0.25,  0.17,  0.12,
                                     0.08, 0.05, 0.03, 0.016, 0.008, 0.004, 0.001, 0.0001},
                          kFew[] = {1, 0.5, 0.125, 1.0 / 64};
  if (loss == Loss::logistic) return kFew;
  return kMany;
}

// With few features a gradient round computes the whole Hessian, and no products with it are needed.
inline bool has_whole_hessian(Key keys, std::uint32_t outputs) {
  constexpr Key kMostNumbers = Key{1} << 19;
  return keys <= kMostNumbers && keys * keys * outputs <= kMostNumbers;
}
inline std::uint32_t newton_part_width(Key keys, std::uint32_t outputs) {
  return outputs * (2 + (has_whole_hessian(keys, outputs) ? static_cast<std::uint32_t>(keys) : 0)) + 2;
}

// The sums over the rows in a gradient's note, for each output: the smoothed loss, the loss, the term of the dual
// objective.
enum GradientNote : std::size_t { kSmoothed, kPrimal, kDual, kGradientNotes };

// One shard: gradient and curvature of its rows' losses, products with their Hessian, and the losses along a line.
std::unique_ptr<Push> newton_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                  ShardRows held_out);
// `most`: an upper limit for the gradient at the beginning (most_of_first_gradient()).
std::unique_ptr<Pull> newton_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, Key keys,
                                  double most);

}  // namespace rota::sgd
