// apps/mf/sgd/cell_kernel.cc -- see kernels.h.
//
// With e = r - p . q, a step is  g_p = lambda p - e q,  p -= rate / sqrt(G_p) g_p,  G_p += mean of g_p^2,  and the same
// for q, with the old p and q on the right-hand sides: the schedule of Chin, Zhuang, Juan and Lin, "A
// learning-rate schedule for stochastic gradient methods to matrix factorization", PAKDD 2015.  It keeps one G for the
// first factors of a row and one for the others.  If the error is more than 16 deviations of the ratings, G_p includes
// the mean of g_p^2 before the step, as in AdaGrad itself (Duchi, Hazan and Singer, JMLR 2011): then no step is larger
// than the rate, and ratings with heavy tails do not make their rows diverge.  For labels, e = r - 1 /
// (1 + exp(-p . q)): the log loss has that gradient.
#include "apps/mf/kernels.h"
#include "rota/numerics/portable_math.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rota::mf::ROTA_LEVEL {
namespace {

#define ROTA_INLINE [[gnu::always_inline]] inline

// Lanes of the processor's vectors, and the number of vectors in 16 lanes.
#if defined(__AVX512F__)
constexpr std::uint32_t kWidth = 16;
#elif defined(__AVX__)
constexpr std::uint32_t kWidth = 8;
#else
constexpr std::uint32_t kWidth = 4;
#endif
constexpr std::uint32_t kParts = kLanes / kWidth;
#define ROTA_EACH_PART _Pragma("GCC unroll 4") for (std::uint32_t v = 0; v < kParts; ++v)
#define ROTA_EACH_STEP _Pragma("GCC unroll 2") for (std::uint32_t s = 0; s < N; ++s)

using Part = float __attribute__((vector_size(kWidth * 4)));
using Four = float __attribute__((vector_size(16)));
using Eight = float __attribute__((vector_size(32)));

constexpr std::size_t kAhead = 8;  // ratings between prefetching their rows and using them

template <typename V>
ROTA_INLINE V load(const float* at) {
  V value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
template <typename V>
ROTA_INLINE void store(float* at, const V& value) {
  __builtin_memcpy(at, &value, sizeof value);
}
ROTA_INLINE Part all(float x) {
  return x - Part{};
}

struct Lanes {
  ROTA_INLINE static Lanes load_from(const float* at) {
    Lanes out;
    ROTA_EACH_PART out.part[v] = load<Part>(at + v * kWidth);
    return out;
  }
  Part part[kParts]{};
};

// Two runs of four lanes: 0 .. 3 and 4 .. 7 of one half of 16.
struct Half {
  Four low, high;
};
template <bool kUpper>
ROTA_INLINE Half half(const Lanes& x) {
#if defined(__AVX512F__)
  const Eight h = kUpper ? __builtin_shufflevector(x.part[0], x.part[0], 8, 9, 10, 11, 12, 13, 14, 15)
                         : __builtin_shufflevector(x.part[0], x.part[0], 0, 1, 2, 3, 4, 5, 6, 7);
  return {__builtin_shufflevector(h, h, 0, 1, 2, 3), __builtin_shufflevector(h, h, 4, 5, 6, 7)};
#elif defined(__AVX__)
  const Eight h = x.part[kUpper ? 1 : 0];
  return {__builtin_shufflevector(h, h, 0, 1, 2, 3), __builtin_shufflevector(h, h, 4, 5, 6, 7)};
#else
  return {x.part[kUpper ? 2 : 0], x.part[kUpper ? 3 : 1]};
#endif
}
// Lane i and lane i + 8, then lane i and lane i + 4.
ROTA_INLINE Four fold(const Lanes& x) {
  const Half low = half<false>(x), high = half<true>(x);
  return (low.low + high.low) + (low.high + high.high);
}
// The sums of the lanes of each, (0 + 2) + (1 + 3), side by side.
ROTA_INLINE Four sums(Four a, Four b, Four c, Four d) {
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

ROTA_INLINE Four square_root(Four x) {
#if defined(__SSE2__)
  return reinterpret_cast<Four>(_mm_sqrt_ps(reinterpret_cast<__m128>(x)));
#else
  Four out{};
  for (int i = 0; i < 4; ++i) out[i] = __builtin_sqrtf(x[i]);
  return out;
#endif
}

// A rating that is being processed.
struct Step {
  float *p, *q, *p_tail, *q_tail;
  float p_penalty, q_penalty, p_bias_penalty, q_bias_penalty;
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
  const RowPointers &p = cell.resident, &q = cell.visiting;
  step.p_penalty = p.penalties ? p.penalties[rating.resident].factors : p.penalty.factors;
  step.q_penalty = q.penalties ? q.penalties[rating.visiting].factors : q.penalty.factors;
  if (kBiases) step.p_bias_penalty = p.penalties ? p.penalties[rating.resident].bias : p.penalty.bias;
  if (kBiases) step.q_bias_penalty = q.penalties ? q.penalties[rating.visiting].bias : q.penalty.bias;
  return step;
}

// Moves a run of 16 factors of p and of q, and adds their squared gradients.
template <bool kNonnegative>
ROTA_INLINE void move(const Step& step, std::size_t at, const Lanes& p_rate, const Lanes& q_rate, Lanes& p_squares,
                      Lanes& q_squares) {
  const Part error = all(step.error);
  const Part p_penalty = all(step.p_penalty), q_penalty = all(step.q_penalty);
  ROTA_EACH_PART {
    const std::size_t i = at + v * kWidth;
    const Part p = load<Part>(step.p + i), q = load<Part>(step.q + i);
    const Part p_gradient = p_penalty * p - error * q, q_gradient = q_penalty * q - error * p;
    p_squares.part[v] += p_gradient * p_gradient;
    q_squares.part[v] += q_gradient * q_gradient;
    Part new_p = p - p_rate.part[v] * p_gradient, new_q = q - q_rate.part[v] * q_gradient;
    if (kNonnegative) {
      new_p = new_p > 0 ? new_p : Part{};
      new_q = new_q > 0 ? new_q : Part{};
    }
    store(step.p + i, new_p);
    store(step.q + i, new_q);
  }
}

// 16 lanes: the first eight have one value, the others the other.
ROTA_INLINE Lanes two_halves(float first, float others) {
  Lanes out;
#if defined(__AVX512F__)
  const Part a = all(first), b = all(others);
  out.part[0] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
#else
  ROTA_EACH_PART out.part[v] = all(v < kParts / 2 ? first : others);
#endif
  return out;
}
ROTA_INLINE Lanes all_lanes(float x) {
  Lanes out;
  ROTA_EACH_PART out.part[v] = all(x);
  return out;
}

// The means of the squared gradients of p's and q's factors, first and others, of a step that is not yet made.
Four mean_squares(const Step& step, const Cell& cell, std::size_t width) {
  Four sum{};
  for (std::size_t i = 0; i < width; ++i) {
    const float p = step.p_penalty * step.p[i] - step.error * step.q[i];
    const float q = step.q_penalty * step.q[i] - step.error * step.p[i];
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
  Lanes dots[N];
  ROTA_EACH_STEP steps[s] = step_of<kBiases>(cell, ratings[s], width);
  for (std::size_t c = 0; c < width; c += kLanes) {
    ROTA_EACH_STEP {
      const Lanes p = Lanes::load_from(steps[s].p + c), q = Lanes::load_from(steps[s].q + c);
      ROTA_EACH_PART dots[s].part[v] += p.part[v] * q.part[v];
    }
  }
  Four folded[2] = {};
  ROTA_EACH_STEP folded[s] = fold(dots[s]);
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
  Lanes p_first[N], q_first[N], p_others[N], q_others[N];
  ROTA_EACH_STEP {
    // In the first part of a job a rate of 0 leaves factors unchanged.
    const float p_rate = cell.first_only ? 0 : steps[s].rates[1], q_rate = cell.first_only ? 0 : steps[s].rates[3];
    move<kNonnegative>(steps[s], 0, two_halves(steps[s].rates[0], p_rate), two_halves(steps[s].rates[2], q_rate),
                       p_first[s], q_first[s]);
    if (cell.first_only) continue;
    const Lanes p_rates = all_lanes(p_rate), q_rates = all_lanes(q_rate);
    for (std::size_t c = kLanes; c < width; c += kLanes)
      move<kNonnegative>(steps[s], c, p_rates, q_rates, p_others[s], q_others[s]);
  }
  ROTA_EACH_STEP {
    const Half p = half<false>(p_first[s]), q = half<false>(q_first[s]);
    const Half p_rest = half<true>(p_first[s]), q_rest = half<true>(q_first[s]);
    const Four sum = sums(p.low + p.high, fold(p_others[s]) + (p_rest.low + p_rest.high), q.low + q.high,
                          fold(q_others[s]) + (q_rest.low + q_rest.high));
    const float others = cell.first_only ? 0 : cell.others_share;
    steps[s].tails += sum * Four{cell.first_share, others, cell.first_share, others};
    for (int i = 0; i < 2; ++i) {
      steps[s].p_tail[i] = steps[s].tails[i];
      steps[s].q_tail[i] = steps[s].tails[2 + i];
    }
    if (kBiases) {
      move_bias<kCareful>(steps[s].p_tail, steps[s].p_bias_penalty, steps[s].error, cell.rate, cell.first_share > 0);
      move_bias<kCareful>(steps[s].q_tail, steps[s].q_bias_penalty, steps[s].error, cell.rate, cell.first_share > 0);
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
double run(const Cell& cell) {
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

}  // namespace

double run_cell(const Cell& cell) {
  if (cell.biases) return cell.nonnegative ? run_chunks<true, true>(cell) : run_chunks<true, false>(cell);
  return cell.nonnegative ? run_chunks<false, true>(cell) : run_chunks<false, false>(cell);
}

}  // namespace rota::mf::ROTA_LEVEL
