// apps/mf/sgd/pair_kernel.cc -- see kernels.h.
//
// With x = p . (a - b), and s = 1 / (1 + e^x), a step for the loss ln(1 + e^-x) has the gradients
//   g_p = lambda p - s (a - b)        g_a = lambda a - s p        g_b = lambda b + s p
// and moves p, a and b like cell_kernel.cc.  With biases x includes b_a - b_b; the resident's would make no
// difference.
#include "apps/mf/kernels.h"
#include "rota/numerics/portable_math.h"

namespace rota::mf::ROTA_LEVEL {
namespace {

#define ROTA_INLINE [[gnu::always_inline]] inline

using Lanes = float __attribute__((vector_size(64)));

ROTA_INLINE Lanes load(const float* at) {
  Lanes value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
ROTA_INLINE float sum_of_eight(const float* x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}
struct Halves {
  float first, others;
};
ROTA_INLINE Halves sums(const Lanes& x) {
  float lanes[kLanes];
  __builtin_memcpy(lanes, &x, sizeof lanes);
  return {sum_of_eight(lanes), sum_of_eight(lanes + 8)};
}

// One of the three rows of a step.
struct Row {
  float *factors, *tail;
  Penalty penalty;
  Lanes first_rates, other_rates;  // of the first 16 factors, and of the others
  Lanes first_squares, other_squares;
};

ROTA_INLINE Row row_of(const Cell& cell, const RowPointers& rows, std::size_t row) {
  Row out = {rows.factors + row * cell.chunks * kLanes,
             rows.tails + row * (cell.biases ? 4 : 2),
             rows.penalty_of(row),
             {},
             {},
             {},
             {}};
  const float first = cell.rate / __builtin_sqrtf(out.tail[0]);
  const float others = cell.first_only ? 0 : cell.rate / __builtin_sqrtf(out.tail[1]);
  for (std::uint32_t i = 0; i < kLanes; ++i) out.first_rates[i] = i < 8 ? first : others;
  out.other_rates = others - Lanes{};
  return out;
}

ROTA_INLINE void move(const Cell& cell, Row& row, std::size_t at, const Lanes& old, const Lanes& pull) {
  const Lanes gradient = row.penalty.factors * old - pull;
  (at == 0 ? row.first_squares : row.other_squares) += gradient * gradient;
  Lanes moved = old - (at == 0 ? row.first_rates : row.other_rates) * gradient;
  if (cell.nonnegative) moved = moved > 0 ? moved : Lanes{};
  __builtin_memcpy(row.factors + at, &moved, sizeof moved);
}

ROTA_INLINE void finish(const Cell& cell, const Row& row) {
  const Halves first = sums(row.first_squares), others = sums(row.other_squares);
  row.tail[0] += first.first * cell.first_share;
  if (!cell.first_only) row.tail[1] += (first.others + (others.first + others.others)) * cell.others_share;
}

ROTA_INLINE double run_step(const Cell& cell, const PairStep& step) {
  const std::size_t width = std::size_t{cell.chunks} * kLanes;
  Row p = row_of(cell, cell.resident, step.resident);
  Row a = row_of(cell, cell.visiting, step.rated), b = row_of(cell, cell.visiting, step.other);
  Lanes products = {};
  for (std::size_t c = 0; c < width; c += kLanes)
    products += load(p.factors + c) * (load(a.factors + c) - load(b.factors + c));
  const Halves product = sums(products);
  float x = product.first + product.others;
  if (cell.biases) x += a.tail[2] - b.tail[2];
  const auto pull = static_cast<float>(sigmoid(-static_cast<double>(x)));
  const std::size_t moving = cell.first_only ? kLanes : width;
  for (std::size_t c = 0; c < moving; c += kLanes) {
    const Lanes old_p = load(p.factors + c), old_a = load(a.factors + c), old_b = load(b.factors + c);
    move(cell, p, c, old_p, pull * (old_a - old_b));
    move(cell, a, c, old_a, pull * old_p);
    move(cell, b, c, old_b, -pull * old_p);
  }
  finish(cell, p);
  finish(cell, a);
  finish(cell, b);
  if (cell.biases) {
    move_bias<true>(a.tail, a.penalty.bias, pull, cell.rate, cell.first_share > 0);
    move_bias<true>(b.tail, b.penalty.bias, -pull, cell.rate, cell.first_share > 0);
  }
  return log_loss_of(static_cast<double>(x));
}

}  // namespace

double run_pairs(const Cell& cell, const PairStep* steps, std::size_t count) {
  double losses = 0;
  for (std::size_t i = 0; i < count; ++i) losses += run_step(cell, steps[i]);
  return losses;
}

}  // namespace rota::mf::ROTA_LEVEL
