// apps/mf/sgd/kernels.cc -- see kernels.h.
//
// With e = r - p . q, a step is  g_p = lambda p - e q,  p -= rate / sqrt(G_p) g_p,  G_p += mean of g_p^2,  and the same
// for q, with the old p and q on the right-hand sides: the schedule of Chin, Zhuang, Juan and Lin, "A
// learning-rate schedule for stochastic gradient methods to matrix factorization", PAKDD 2015.  It keeps one G for the
// first factors of a row and one for the others.  If the error is more than 16 deviations of the ratings, G_p includes
// the mean of g_p^2 before the step, as in AdaGrad itself (Duchi, Hazan and Singer, JMLR 2011): then no step is larger
// than the rate, and ratings with heavy tails do not make their rows diverge.  For labels, e = r - 1 /
// (1 + exp(-p . q)): the log loss has that gradient.
#include "apps/mf/sgd/kernels.h"

#include <immintrin.h>

#include "rota/numerics/portable_math.h"
#include "rota/numerics/widest_registers.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors pass between functions of this file only, all of them inlined

namespace rota::mf {
namespace {

#define ROTA_INLINE [[gnu::always_inline]] inline
#define ROTA_EACH_STEP _Pragma("GCC unroll 2") for (std::uint32_t s = 0; s < N; ++s)

using Four = float __attribute__((vector_size(16)));
using Eight = float __attribute__((vector_size(32)));

constexpr std::size_t kAhead = 8;  // ratings between prefetching their rows and using them

ROTA_INLINE Eight load(const float* at) {
  Eight value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
// Lane i and lane i + 4.
ROTA_INLINE Four fold(const Eight& x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
// The sums of the lanes of each, (0 + 2) + (1 + 3), side by side.
ROTA_INLINE Four sums(Four a, Four b, Four c, Four d) {
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
ROTA_INLINE float sum(const Eight& x) {
  const Four folded = fold(x);
  return (folded[0] + folded[2]) + (folded[1] + folded[3]);
}
ROTA_INLINE Four square_root(Four x) {
  return reinterpret_cast<Four>(_mm_sqrt_ps(reinterpret_cast<__m128>(x)));
}
// A step of eight factors of a row, whose squared gradients are added.
template <bool kNonnegative>
ROTA_INLINE void descend(float* at, const Eight& old, const Eight& gradient, float rate, Eight& squares) {
  squares += gradient * gradient;
  Eight moved = old - rate * gradient;
  if (kNonnegative) moved = moved > 0 ? moved : Eight{};
  __builtin_memcpy(at, &moved, sizeof moved);
}

// Squared gradients of a row, of which the sums are taken apart: of its first eight factors, of the next eight, and of
// the first and the second halves of later runs of 16.
struct Squares {
  Eight first{}, next{}, low{}, high{};
};

// A rating that is being processed.
struct Step {
  float *p, *q, *p_tail, *q_tail;
  Penalty p_penalty, q_penalty;
  float error;
  Four tails;  // of p: first, others; of q: first, others
  Four rates;
};

template <bool kBiases>
constexpr std::uint32_t kTail = kBiases ? 4 : 2;

template <bool kBiases>
ROTA_INLINE Step step_of(const Cell& cell, const CellRating& rating, std::size_t width) {
  Step step;
  step.p = cell.resident.factors + rating.resident * width;
  step.q = cell.visiting.factors + rating.visiting * width;
  step.p_tail = cell.resident.tails + std::size_t{rating.resident} * kTail<kBiases>;
  step.q_tail = cell.visiting.tails + std::size_t{rating.visiting} * kTail<kBiases>;
  step.p_penalty = cell.resident.penalty_of(rating.resident);
  step.q_penalty = cell.visiting.penalty_of(rating.visiting);
  return step;
}

// Moves eight factors of p and of q.
template <bool kNonnegative>
ROTA_INLINE void move(const Step& step, std::size_t i, float p_rate, float q_rate, Eight& p_squares, Eight& q_squares) {
  const Eight p = load(step.p + i), q = load(step.q + i);
  descend<kNonnegative>(step.p + i, p, step.p_penalty.factors * p - step.error * q, p_rate, p_squares);
  descend<kNonnegative>(step.q + i, q, step.q_penalty.factors * q - step.error * p, q_rate, q_squares);
}

// The means of the squared gradients of p's and q's factors, first and others, of a step that is not yet made.
Four mean_squares(const Step& step, const Cell& cell, std::size_t width) {
  Four sum{};
  for (std::size_t i = 0; i < width; ++i) {
    const float p = step.p_penalty.factors * step.p[i] - step.error * step.q[i];
    const float q = step.q_penalty.factors * step.q[i] - step.error * step.p[i];
    sum += i < 8 ? Four{p * p, 0, q * q, 0} : Four{0, p * p, 0, q * q};
  }
  return sum * Four{cell.first_share, cell.others_share, cell.first_share, cell.others_share};
}

template <std::uint32_t N, std::uint32_t kChunks, bool kBiases, bool kNonnegative>
double run_carefully(const Cell& cell, const CellRating* ratings, double losses);

// N steps at once, which share no row.  kChunks: cell.chunks, if it is known at compile time, or else 0.  Not kCareful:
// all errors are small; otherwise run_carefully() makes these steps.
template <std::uint32_t N, std::uint32_t kChunks, bool kBiases, bool kNonnegative, bool kCareful>
ROTA_INLINE double run_steps(const Cell& cell, const CellRating* ratings, double before) {
  const std::uint32_t chunks = kChunks == 0 ? cell.chunks : kChunks;
  const std::size_t width = std::size_t{chunks} * kLanes;
  Step steps[N];
  Eight low[N]{}, high[N]{};  // of the products of each run of 16
  ROTA_EACH_STEP steps[s] = step_of<kBiases>(cell, ratings[s], width);
  for (std::size_t c = 0; c < width; c += kLanes) {
    ROTA_EACH_STEP {
      low[s] += load(steps[s].p + c) * load(steps[s].q + c);
      high[s] += load(steps[s].p + c + 8) * load(steps[s].q + c + 8);
    }
  }
  Four folded[2] = {};
  ROTA_EACH_STEP folded[s] = fold(low[s] + high[s]);
  const Four products = sums(folded[0], folded[1], folded[0], folded[1]);
  float squares = 0;
  double losses = before;
  ROTA_EACH_STEP {
    Step& step = steps[s];
    step.error = ratings[s].value - products[s];
    if (kBiases) step.error = ratings[s].value - (step.p_tail[2] + step.q_tail[2]) - products[s];
    if (cell.logistic) {
      const auto odds = static_cast<double>(kBiases ? products[s] + (step.p_tail[2] + step.q_tail[2]) : products[s]);
      step.error = static_cast<float>(static_cast<double>(ratings[s].value) - sigmoid(odds));
      losses += log_loss_of(ratings[s].value > 0 ? odds : -odds);
    } else {
      losses += static_cast<double>(step.error * step.error);
    }
    squares += step.error * step.error;
    step.tails = Four{step.p_tail[0], step.p_tail[1], step.q_tail[0], step.q_tail[1]};
    Four tails = step.tails;
    if (kCareful && step.error * step.error > kLargeSquare) tails += mean_squares(step, cell, width);
    step.rates = cell.rate / square_root(tails);
  }
  if (!kCareful && squares > cell.careful_square) [[unlikely]]
    return run_carefully<N, kChunks, kBiases, kNonnegative>(cell, ratings, before);
  Squares p[N], q[N];
  ROTA_EACH_STEP {
    // In the first part of a job a rate of 0 leaves factors unchanged.
    const float p_rate = cell.first_only ? 0 : steps[s].rates[1], q_rate = cell.first_only ? 0 : steps[s].rates[3];
    move<kNonnegative>(steps[s], 0, steps[s].rates[0], steps[s].rates[2], p[s].first, q[s].first);
    move<kNonnegative>(steps[s], 8, p_rate, q_rate, p[s].next, q[s].next);
    if (cell.first_only) continue;
    for (std::size_t c = kLanes; c < width; c += kLanes) {
      move<kNonnegative>(steps[s], c, p_rate, q_rate, p[s].low, q[s].low);
      move<kNonnegative>(steps[s], c + 8, p_rate, q_rate, p[s].high, q[s].high);
    }
  }
  ROTA_EACH_STEP {
    const Four sum = sums(fold(p[s].first), fold(p[s].low + p[s].high) + fold(p[s].next), fold(q[s].first),
                          fold(q[s].low + q[s].high) + fold(q[s].next));
    const float others = cell.first_only ? 0 : cell.others_share;
    steps[s].tails += sum * Four{cell.first_share, others, cell.first_share, others};
    for (int i = 0; i < 2; ++i) {
      steps[s].p_tail[i] = steps[s].tails[i];
      steps[s].q_tail[i] = steps[s].tails[2 + i];
    }
    if (kBiases) {
      move_bias<kCareful>(steps[s].p_tail, steps[s].p_penalty.bias, steps[s].error, cell.rate);
      move_bias<kCareful>(steps[s].q_tail, steps[s].q_penalty.bias, steps[s].error, cell.rate);
    }
  }
  return losses;
}

template <std::uint32_t N, std::uint32_t kChunks, bool kBiases, bool kNonnegative>
[[gnu::noinline, gnu::cold]] double run_carefully(const Cell& cell, const CellRating* ratings, double losses) {
  return run_steps<N, kChunks, kBiases, kNonnegative, true>(cell, ratings, losses);
}

ROTA_INLINE void prefetch_row(const float* factors, std::size_t width) {
  for (std::size_t c = 0; c < width; c += kLanes) __builtin_prefetch(factors + c, 1);
}

template <std::uint32_t kChunks, bool kBiases, bool kNonnegative>
ROTA_WIDEST_REGISTERS double run(const Cell& cell) {
  const std::size_t width = std::size_t{kChunks == 0 ? cell.chunks : kChunks} * kLanes;
  double losses = 0;
  std::size_t i = 0;
  for (; i + 1 < cell.count; i += 2) {
    const CellRating* const now = cell.ratings + i;
    for (std::size_t ahead = i + kAhead; ahead < i + kAhead + 2 && ahead < cell.count; ++ahead) {
      const CellRating& next = cell.ratings[ahead];
      prefetch_row(cell.resident.factors + next.resident * width, width);
      prefetch_row(cell.visiting.factors + next.visiting * width, width);
      __builtin_prefetch(cell.resident.tails + std::size_t{next.resident} * kTail<kBiases>, 1);
      __builtin_prefetch(cell.visiting.tails + std::size_t{next.visiting} * kTail<kBiases>, 1);
    }
    if (now[0].resident != now[1].resident && now[0].visiting != now[1].visiting) [[likely]] {
      losses = run_steps<2, kChunks, kBiases, kNonnegative, false>(cell, now, losses);
    } else {
      losses = run_steps<1, kChunks, kBiases, kNonnegative, false>(cell, now, losses);
      losses = run_steps<1, kChunks, kBiases, kNonnegative, false>(cell, now + 1, losses);
    }
  }
  if (i < cell.count) losses = run_steps<1, kChunks, kBiases, kNonnegative, false>(cell, cell.ratings + i, losses);
  return losses;
}

template <bool kBiases, bool kNonnegative>
double run_chunks(const Cell& cell) {
  switch (cell.chunks) {
    case 1:
      return run<1, kBiases, kNonnegative>(cell);
    case 2:
      return run<2, kBiases, kNonnegative>(cell);
    case 4:
      return run<4, kBiases, kNonnegative>(cell);
    default:
      return run<0, kBiases, kNonnegative>(cell);
  }
}
// ---- pairs
//
// With x = p . (a - b), and s = 1 / (1 + e^x), a step for the loss ln(1 + e^-x) has the gradients
//   g_p = lambda p - s (a - b)        g_a = lambda a - s p        g_b = lambda b + s p
// and moves p, a and b like the steps above.  With biases x includes b_a - b_b; the resident's would make no
// difference.

// One of the three rows of a step.
struct PairRow {
  float *factors, *tail;
  Penalty penalty;
  float first_rate, other_rate;
  Squares squares = {};
};

ROTA_INLINE PairRow row_of(const Cell& cell, const RowPointers& rows, std::size_t row) {
  float* const tail = rows.tails + row * (cell.biases ? 4 : 2);
  return {rows.factors + row * cell.chunks * kLanes, tail, rows.penalty_of(row), cell.rate / __builtin_sqrtf(tail[0]),
          cell.first_only ? 0 : cell.rate / __builtin_sqrtf(tail[1])};
}

ROTA_INLINE void finish(const Cell& cell, const PairRow& row) {
  const Squares& all = row.squares;
  row.tail[0] += sum(all.first) * cell.first_share;
  if (!cell.first_only) row.tail[1] += (sum(all.next) + (sum(all.low) + sum(all.high))) * cell.others_share;
}

template <bool kNonnegative>
ROTA_INLINE double run_pair(const Cell& cell, const PairStep& step) {
  const std::size_t width = std::size_t{cell.chunks} * kLanes;
  PairRow p = row_of(cell, cell.resident, step.resident);
  PairRow a = row_of(cell, cell.visiting, step.rated), b = row_of(cell, cell.visiting, step.other);
  Eight low{}, high{};
  for (std::size_t c = 0; c < width; c += kLanes) {
    low += load(p.factors + c) * (load(a.factors + c) - load(b.factors + c));
    high += load(p.factors + c + 8) * (load(a.factors + c + 8) - load(b.factors + c + 8));
  }
  float x = sum(low) + sum(high);
  if (cell.biases) x += a.tail[2] - b.tail[2];
  const auto pull = static_cast<float>(sigmoid(-static_cast<double>(x)));
  const auto move_eight = [&](std::size_t c, float PairRow::*rate, Eight Squares::*squares)
      __attribute__((always_inline)) {
    const Eight old_p = load(p.factors + c), old_a = load(a.factors + c), old_b = load(b.factors + c);
    const auto move_row = [&](PairRow & row, const Eight& old, const Eight& pulled) __attribute__((always_inline)) {
      descend<kNonnegative>(row.factors + c, old, row.penalty.factors * old - pulled, row.*rate, row.squares.*squares);
    };
    move_row(p, old_p, pull * (old_a - old_b));
    move_row(a, old_a, pull * old_p);
    move_row(b, old_b, -pull * old_p);
  };
  move_eight(0, &PairRow::first_rate, &Squares::first);
  move_eight(8, &PairRow::other_rate, &Squares::next);
  for (std::size_t c = kLanes; c < width && !cell.first_only; c += kLanes) {
    move_eight(c, &PairRow::other_rate, &Squares::low);
    move_eight(c + 8, &PairRow::other_rate, &Squares::high);
  }
  for (const PairRow* const row : {&p, &a, &b}) finish(cell, *row);
  if (cell.biases) {
    move_bias<true>(a.tail, a.penalty.bias, pull, cell.rate);
    move_bias<true>(b.tail, b.penalty.bias, -pull, cell.rate);
  }
  return log_loss_of(static_cast<double>(x));
}

template <bool kNonnegative>
ROTA_WIDEST_REGISTERS double run_all(const Cell& cell, const PairStep* steps, std::size_t count) {
  double losses = 0;
  for (std::size_t i = 0; i < count; ++i) losses += run_pair<kNonnegative>(cell, steps[i]);
  return losses;
}

}  // namespace

double run_cell(const Cell& cell) {
  if (cell.biases) return cell.nonnegative ? run_chunks<true, true>(cell) : run_chunks<true, false>(cell);
  return cell.nonnegative ? run_chunks<false, true>(cell) : run_chunks<false, false>(cell);
}

double run_pairs(const Cell& cell, std::span<const PairStep> steps) {
  return cell.nonnegative ? run_all<true>(cell, steps.data(), steps.size())
                          : run_all<false>(cell, steps.data(), steps.size());
}

}  // namespace rota::mf
