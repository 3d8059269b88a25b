// apps/mf/ccd/ccd_push.h -- a shard of either schedule of coordinate descent: tables of one factor after the other, and
// the residuals of its ratings.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/mf/alternating/push.h"

namespace rota::mf {

// Numbers in a row of a table: those of one factor of that many neighbours.  Single ones would be too many rows to
// store.
inline constexpr std::size_t kTogether = 64;
inline std::size_t rows_of_factor(std::size_t count) {
  return (count + kTogether - 1) / kTogether;
}

class CcdPush : public AlternatingPush {
 public:
  using AlternatingPush::AlternatingPush;

 protected:
  Factors factors(std::uint32_t side) const override;
  // The form of all rows of a side.
  const double* factor(std::uint32_t side, std::size_t k) const {
    return views_[side].numbers().data() + k * stride(side);
  }
  // Changes the residuals of a side's ratings to those of all factors but k, from those of all factors (k = 0), or of
  // all but k - 1, which has changed since.
  void leave_out(std::uint32_t side, std::size_t k);
  // Puts the numbers of this shard's rows into the parts of one factor.
  template <typename NumberOf>
  void put(const SharedTask& task, std::size_t k, NumberOf number_of) const {
    const RatingRows& rows = ratings_.of[task.table];
    if (rows.rows() == 0) return;
    // The first and the last row may be shared with other shards: each leaves zeros for the others' numbers.
    const std::size_t first = rows.first / kTogether, end = rows_of_factor(rows.first + rows.rows());
    const std::span<double> next = task.parts.run(k * rows_of_factor(whole_->rows(task.table)) + first, end - first)
                                       .subspan(rows.first % kTogether);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      next[i] = number_of(i);
      require_finite(task.table, i, {&next[i], 1});
    }
  }

  std::vector<double> residuals_[2];  // of the ratings of its users, of its items

 private:
  std::size_t stride(std::uint32_t side) const { return rows_of_factor(whole_->rows(side)) * kTogether; }
};

// With v the partners' numbers: the sums of residual v and of v^2, each of four lanes, so that additions do not wait
// for each other.
struct FitSums {
  double product, square;

  // The minimiser under the penalty; 0 if there is none and partners of 0 leave it undetermined.
  double best(double penalty, bool nonnegative) const {
    const double value = square + penalty > 0 ? product / (square + penalty) : 0;
    return nonnegative ? std::max(value, 0.0) : value;
  }
};
template <typename PartnerOf>
FitSums fit_sums(const double* residuals, std::size_t count, PartnerOf partner_of) {
  constexpr std::size_t kSums = 4;
  double products[kSums] = {}, squares[kSums] = {};
  const auto add = [&](std::size_t j, std::size_t lane) {
    const double v = partner_of(j);
    products[lane] += residuals[j] * v;
    squares[lane] += v * v;
  };
  std::size_t j = 0;
  for (; j + kSums <= count; j += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) add(j + lane, lane);
  for (; j < count; ++j) add(j, j % kSums);
  return {(products[0] + products[1]) + (products[2] + products[3]),
          (squares[0] + squares[1]) + (squares[2] + squares[3])};
}

}  // namespace rota::mf
