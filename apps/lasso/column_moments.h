// apps/lasso/column_moments.h -- the first two moments of a column under row weights: whether it varies, and whether
// its squares can be summed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "rota/io/number_text.h"
#include "rota/types.h"

namespace rota::lasso {

// Of a column x under weights w: sum_i w_i x_i, and sum_i w_i (x_i - m)^2 about its mean m = sum_i w_i x_i / sum_i w_i.
struct Moments {
  double sum = 0;
  double centred_square = 0;

  void fields(auto& list) { list(sum, centred_square); }
};

// Whether the column is more than a constant.  A deviation of 1e-13 of the mean is some hundred times the rounding of
// the values themselves, which is no information.
inline bool varies(const Moments& moments, double weight) {
  const double mean = moments.sum / weight;
  return moments.centred_square > 1e-26 * mean * mean * weight;
}

// Whether its mean is so large in units of its deviation that products of the column lose a third of their digits.
inline bool is_far_from_zero(const Moments& moments, double weight) {
  const double mean = moments.sum / weight;
  return mean * mean * weight > 1e6 * moments.centred_square;
}

// each(take) calls take(w_i, x_i) for the rows that hold a value, which are 0 elsewhere; `rows` and `weight` are the
// number of all rows and the sum of their weights.  A column that does not vary has a centred square of 0.
//
// Computed about the mean in a second pass, and corrected by the sum of the deviations (Chan, Golub and LeVeque,
// "Algorithms for computing the sample variance", 1983): a difference of two large squares would lose all digits of a
// column far from 0.
template <typename Each>
Moments column_moments(std::size_t rows, double weight, const Each& each) {
  constexpr double kRounding = 1e-13;  // share of a sum of weights that may be due to rounding
  Moments moments;
  if (!(weight > 0)) return moments;
  double met = 0;
  std::size_t count = 0;
  each([&](double w, double x) {
    moments.sum += w * x;
    met += w;
    ++count;
  });
  const double mean = moments.sum / weight;
  double deviation = 0;
  each([&](double w, double x) {
    const double off = x - mean;
    moments.centred_square += w * off * off;
    deviation += w * off;
  });
  // A remainder within rounding counts as none: the column fills every row that has a weight.
  const double rest = count == rows || weight - met < kRounding * weight ? 0 : weight - met;
  deviation -= rest * mean;
  moments.centred_square += rest * mean * mean - deviation * deviation / weight;
  if (!varies(moments, weight)) moments.centred_square = 0;
  return moments;
}

// Weighted sums of squares below this, of values that are not all 0, have lost digits or underflowed.
inline constexpr double kLeastSquare = 1e-270;

// The largest absolute value of a row that has a weight; each() as for column_moments().
template <typename Each>
double largest_weighted(const Each& each) {
  double largest = 0;
  each([&](double w, double x) { largest = std::max(largest, w > 0 ? std::abs(x) : 0); });
  return largest;
}

[[noreturn]] inline void refuse_tiny(const std::string& what, double largest) {
  throw std::runtime_error(what + " has values of " + io::exact_text(largest) +
                           " at most, too small to be squared and summed up: give it another unit");
}
[[noreturn]] inline void refuse_tiny_column(Key column, double largest) {
  refuse_tiny("column " + std::to_string(column + 1), largest);
}

}  // namespace rota::lasso
