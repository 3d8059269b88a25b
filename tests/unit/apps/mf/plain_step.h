// tests/unit/apps/mf/plain_step.h -- one step of stochastic gradient descent in plain loops, in the same 16 lanes.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "apps/mf/sgd/kernels.h"
#include "rota/numerics/portable_math.h"

namespace rota::tests {

struct PlainRow {
  std::vector<float> factors;  // whole chunks
  std::vector<float> tail;
  mf::Penalty penalty = {};
};

// The sum of 16 lanes in the order that the kernel's header specifies.
inline float fold_lanes(const float (&lanes)[16]) {
  float four[4];
  for (int i = 0; i < 4; ++i) four[i] = (lanes[i] + lanes[i + 8]) + (lanes[i + 4] + lanes[i + 12]);
  return (four[0] + four[2]) + (four[1] + four[3]);
}
inline float fold_eight(const float* eight) {
  float four[4];
  for (int i = 0; i < 4; ++i) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

struct PlainUpdate {
  float first = 0, others = 0;  // squared gradients
};

inline float clipped(float x, bool nonnegative) {
  return nonnegative && !(x > 0) ? 0 : x;
}

// Moves the factors of one side, given those of both before the step.
inline PlainUpdate plain_move(PlainRow& row, const std::vector<float>& own, const std::vector<float>& partner,
                              float error, const mf::Cell& cell) {
  float first[16] = {}, others[16] = {}, ahead[2] = {};
  for (std::size_t k = 0; !cell.logistic && error * error > 256 && k < own.size(); ++k) {
    const float gradient = row.penalty.factors * own[k] - error * partner[k];
    ahead[k < 8 ? 0 : 1] += gradient * gradient;
  }
  const float sums[2] = {row.tail[0] + ahead[0] * cell.first_share, row.tail[1] + ahead[1] * cell.others_share};
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (cell.first_only && k >= 16) break;
    const float gradient = row.penalty.factors * own[k] - error * partner[k];
    // A pointer, since GCC 12 takes another element of (k < 16 ? first : others)[k % 16] under -fsanitize=shift.
    float* const squares = k < 16 ? first : others;
    squares[k % 16] += gradient * gradient;
    const float rate = cell.first_only && k >= 8 ? 0 : cell.rate / std::sqrt(sums[k < 8 ? 0 : 1]);
    row.factors[k] = clipped(own[k] - rate * gradient, cell.nonnegative);
  }
  float rest[4], four[4];
  for (int i = 0; i < 4; ++i) {
    four[i] = (others[i] + others[i + 8]) + (others[i + 4] + others[i + 12]);
    rest[i] = four[i] + (first[8 + i] + first[12 + i]);
  }
  return {fold_eight(first), (rest[0] + rest[2]) + (rest[1] + rest[3])};
}

// Of `cell` only the settings are used.  Returns the squared error or the log loss before the step.
inline double plain_step(PlainRow& p, PlainRow& q, float rating, const mf::Cell& cell) {
  float lanes[16] = {};
  for (std::size_t k = 0; k < p.factors.size(); ++k) lanes[k % 16] += p.factors[k] * q.factors[k];
  const float product = fold_lanes(lanes);
  const auto odds = static_cast<double>(cell.biases ? product + (p.tail[2] + q.tail[2]) : product);
  float error = cell.biases ? rating - (p.tail[2] + q.tail[2]) - product : rating - product;
  if (cell.logistic) error = static_cast<float>(static_cast<double>(rating) - sigmoid(odds));
  const std::vector<float> old_p = p.factors, old_q = q.factors;
  const PlainUpdate of_p = plain_move(p, old_p, old_q, error, cell), of_q = plain_move(q, old_q, old_p, error, cell);
  const float others = cell.first_only ? 0 : cell.others_share;
  p.tail[0] += of_p.first * cell.first_share;
  p.tail[1] += of_p.others * others;
  q.tail[0] += of_q.first * cell.first_share;
  q.tail[1] += of_q.others * others;
  if (cell.biases) {
    for (PlainRow* const row : {&p, &q}) mf::move_bias<true>(row->tail.data(), row->penalty.bias, error, cell.rate);
  }
  if (cell.logistic) return log_loss_of(rating > 0 ? odds : -odds);
  return static_cast<double>(error * error);
}

}  // namespace rota::tests
