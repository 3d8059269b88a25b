// apps/lasso/solver/anderson.h -- Anderson extrapolation of a sequence of vectors.
//
// Of the last iterates x_0, ..., x_K of a method that converges linearly, the affine combination sum_k c_k x_k whose
// combined step sum_k c_k (x_k - x_{k-1}) is the shortest is often much nearer to the limit than x_K (Bertrand and
// Massias, "Anderson acceleration of coordinate descent", AISTATS 2021, algorithm 2).  With the steps as the columns of
// U, c solves U'U c = 1 up to a factor, which makes its sum 1.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/lasso/solver/cholesky.h"

namespace rota::lasso {

class Anderson {
 public:
  static constexpr std::size_t kDepth = 5;  // K

  // Drops all iterates; the sequence begins at `start`.
  void restart(std::span<const double> start) {
    size_ = start.size();
    store_.resize((kDepth + 1) * size_);
    used_ = 0;
    append(start);
  }
  // The next iterate, as long as the start.
  void append(std::span<const double> iterate) {
    std::copy(iterate.begin(), iterate.end(), store_.begin() + static_cast<std::ptrdiff_t>(used_ * size_));
    ++used_;
  }
  // Whether there were K iterates since the start.
  bool full() const { return used_ == kDepth + 1; }
  // Writes the extrapolated point.  False if the steps give none: they vanish, or the system is singular.  Call it when
  // full().
  bool extrapolate(std::span<double> point) {
    using Vector = std::array<double, kDepth>;
    std::array<Vector, kDepth> products{};
    for (std::size_t j = 0; j < size_; ++j) {
      Vector step;
      for (std::size_t k = 0; k < kDepth; ++k) step[k] = store_[(k + 1) * size_ + j] - store_[k * size_ + j];
      for (std::size_t a = 0; a < kDepth; ++a)
        for (std::size_t b = 0; b <= a; ++b) products[a][b] += step[a] * step[b];
    }
    // The steps shrink geometrically, so the system is scaled to a unit diagonal before the ridge is added.
    constexpr double kRidge = 1e-13;
    Vector scale, weight;
    for (std::size_t k = 0; k < kDepth; ++k) {
      if (!(products[k][k] > 0)) return false;
      scale[k] = 1 / std::sqrt(products[k][k]);
      weight[k] = scale[k];
    }
    std::array<double, kDepth*(kDepth + 1) / 2> system{};
    for (std::size_t a = 0, at = 0; a < kDepth; ++a)
      for (std::size_t b = 0; b <= a; ++b) system[at++] = a == b ? 1 + kRidge : products[a][b] * scale[a] * scale[b];
    if (!solve_definite(kDepth, system, weight)) return false;
    double sum = 0;
    for (std::size_t k = 0; k < kDepth; ++k) sum += weight[k] *= scale[k];
    if (!std::isfinite(sum) || sum == 0) return false;
    for (std::size_t j = 0; j < size_; ++j) {
      double value = 0;
      for (std::size_t k = 0; k < kDepth; ++k) value += weight[k] / sum * store_[(k + 1) * size_ + j];
      point[j] = value;
    }
    return true;
  }

 private:
  std::size_t size_ = 0, used_ = 0;
  std::vector<double> store_;  // iterates one after the other
};

}  // namespace rota::lasso
