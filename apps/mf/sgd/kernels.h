// apps/mf/sgd/kernels.h -- the inner loops of stochastic gradient descent.
//
// They do the same operations on the same 16 lanes in the same order on every processor, so all give the same numbers
// to the last bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace rota::mf {

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
  float first_share, others_share;  // 1 / number of the first eight factors, and of the others
  bool first_only;                  // only the first eight factors move
  bool nonnegative;                 // factors below 0 become 0
  bool biases;                      // rows have them: the tail has four numbers, or else two
  bool logistic;                    // the log-odds of labels are learned
};

inline constexpr float kLargeSquare = 256;  // of an error

// The bias is a factor whose partner is always 1.  kCareful: the error may be large, or rate times penalty above 1.
template <bool kCareful>
[[gnu::always_inline]] inline void move_bias(float* tail, float penalty, float error, float rate) {
  const float gradient = penalty * tail[2] - error;
  float sum = tail[3];
  if (kCareful && rate * penalty > 1) {  // the step would overshoot: to where the penalty of the new bias balances it
    const float length = rate / __builtin_sqrtf(sum);
    tail[2] = (tail[2] + length * error) / (1 + length * penalty);
    tail[3] += error * error;
    return;
  }
  if (kCareful && error * error > kLargeSquare) sum += gradient * gradient;
  tail[2] -= rate / __builtin_sqrtf(sum) * gradient;
  tail[3] += gradient * gradient;
}

// Makes a step for each rating.  Returns the sum of the squared errors, or of the log losses, each before its step.
double run_cell(const Cell& cell);

// A step of Bayesian personalised ranking (Rendle, Freudenthaler, Gantner and Schmidt-Thieme, UAI 2009), of a resident,
// a visitor that it has rated, and one that it has not.
struct PairStep {
  std::uint32_t resident, rated, other;  // rated != other
};

// Makes the steps, one after the other.  The ratings of the cell are not used.  Returns the sum of the losses, each
// before its step.
double run_pairs(const Cell& cell, std::span<const PairStep> steps);

}  // namespace rota::mf
