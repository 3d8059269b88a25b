// apps/mf/kernels.h -- the inner loops, compiled once for each level of x86-64, each in a namespace of its own.
//
// Their sources and this header use plain data and no function of the standard library: the linker must never keep a
// copy compiled for a wide processor for all.  All levels do the same operations on the same number of lanes in the
// same order, so all give the same numbers to the last bit.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rota::mf {

// ---- sgd/cell_kernel.cc: a step of stochastic gradient descent for each rating of a cell

inline constexpr std::uint32_t kLanes = 16;

// A rating in a cell (the ratings of one shard for one slice): a row of the shard, a row of the slice, and their rating
// in units of the deviation, or their label, 0 or 1.
struct CellRating {
  std::uint32_t resident, visiting;
  float value;
};

// Rows of one side.  Each has its factors, `chunks` times 16 of them, from the begin of a cache line; and its tail:
//   sums of the squared gradients of its first eight factors and of the others, each divided by their number;
//   with biases, the bias and the sum of its squared gradients.
struct Penalty {
  float factors, bias;  // of one step
};
struct RowPointers {
  float* factors;
  float* tails;
  Penalty penalty;           // unless
  const Penalty* penalties;  // each row has its own; or null

  const Penalty& penalty_of(std::size_t row) const { return penalties ? penalties[row] : penalty; }
};

struct Cell {
  const CellRating* ratings;  // in the order of the steps; steps 2 i and 2 i + 1 are done at once if they share no row
  std::size_t count;
  RowPointers resident, visiting;
  std::uint32_t chunks;             // of 16 factors each, in a row
  float rate;                       // the learning rate, which is divided by the root of the sums in the tail
  float careful_square;             // squared error from which a step is made carefully: kLargeSquare; or -1, always,
                                    // if rate times the penalty of a bias may be above 1
  float first_share, others_share;  // 1 / number of the first eight factors, and of the others; 0: constant sums
  bool first_only;                  // only the first eight factors move
  bool nonnegative;                 // factors below 0 become 0
  bool biases;                      // rows have them: the tail has four numbers, or else two
  bool logistic;                    // the log-odds of labels are learned
};

inline constexpr float kLargeSquare = 256;  // of an error

// The bias is a factor whose partner is always 1.  kCareful: the error may be large, or rate times penalty above 1.
template <bool kCareful>
[[gnu::always_inline]] inline void move_bias(float* tail, float penalty, float error, float rate, bool adapts) {
  const float gradient = penalty * tail[2] - error;
  float sum = tail[3];
  if (kCareful && rate * penalty > 1) {  // the step would overshoot: to where the penalty of the new bias balances it
    const float length = rate / __builtin_sqrtf(sum);
    tail[2] = (tail[2] + length * error) / (1 + length * penalty);
    if (adapts) tail[3] += error * error;
    return;
  }
  if (kCareful && adapts && error * error > kLargeSquare) sum += gradient * gradient;
  tail[2] -= rate / __builtin_sqrtf(sum) * gradient;
  if (adapts) tail[3] += gradient * gradient;
}

// Makes all the steps.  Returns the sum of the squared errors, or of the log losses, each before its step.
using RunCell = double (*)(const Cell&);

// ---- sgd/pair_kernel.cc: steps of Bayesian personalised ranking (Rendle, Freudenthaler, Gantner and Schmidt-Thieme,
// UAI 2009), of a resident, a visitor that it has rated, and one that it has not

struct PairStep {
  std::uint32_t resident, rated, other;  // rated != other
};

// Makes the steps, one after the other.  The ratings of the cell are not used.  Returns the sum of the losses, each
// before its step.
using RunPairs = double (*)(const Cell&, const PairStep* steps, std::size_t count);

// ---- alternating/row_kernel.cc: sums over rows of factors, and the solution of a row's equations

inline constexpr std::size_t kRowLanes = 8;

// Rows are `width` numbers, a multiple of 8, one after the other.
struct RowKernel {
  // out[r] = row r . x
  void (*products)(const double* rows, std::size_t count, std::size_t width, const double* x, double* out);
  // out += sum over r of weights[r] row r
  void (*combine)(const double* rows, std::size_t count, std::size_t width, const double* weights, double* out);
  // On and above the diagonal:  a += sum over r of (scaled row r)' (row r).  Numbers below may change, too.
  void (*add_squares)(const double* rows, const double* scaled, std::size_t count, std::size_t width, double* a);
  // y becomes the x of  a x = y,  by a Cholesky decomposition of the first `size` rows and columns of a, which is
  // symmetric and positive semidefinite, and of which only the numbers on and above the diagonal are read.  a is
  // overwritten.
  void (*solve)(double* a, std::size_t size, std::size_t width, double* y);
};

// ---- score_kernel.cc: products of users' factors with items' factors, many at once.  A product is summed in
// the order of the factors

inline constexpr std::size_t kScoreLanes = 16;  // items whose products are computed side by side

// out[u * stride + i] = user u . item i.  Rows are `width` floats, a multiple of 16, one after the other.
struct Products {
  const float* users;
  std::size_t user_count;
  const float* items;
  std::size_t item_count;
  std::size_t width;
  float* out;
  std::size_t stride;  // at least item_count, and a multiple of 16; numbers after the items are undefined
};
using ScoreRows = void (*)(const Products&);

// ---- all of them

struct Kernels {
  RunCell run_cell;
  RunPairs run_pairs;
  ScoreRows score_rows;
  RowKernel rows;
};

// The best ones for this processor, or those that the environment variable ROTA_MF_KERNEL names (baseline, v3, v4; for
// tests).  Throws std::runtime_error if it is unknown or cannot run here.
const Kernels& kernels();

}  // namespace rota::mf
