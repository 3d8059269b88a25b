// apps/lasso/solver/anderson.h -- Anderson extrapolation of a sequence of vectors.
//
// Of the last iterates x_0, ..., x_K of a method that converges linearly, the affine combination sum_k c_k x_k whose
// combined step sum_k c_k (x_k - x_{k-1}) is the shortest is often much nearer to the limit than x_K (Bertrand and
// Massias, "Anderson acceleration of coordinate descent", AISTATS 2021, algorithm 2).  With the steps as the columns of
// U, c solves U'U c = 1 up to a factor, which makes its sum 1.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace rota::lasso {

class Anderson {
 public:
  static constexpr std::size_t kDepth = 5;  // K

  // Drops all iterates; the sequence begins at `start`.
  void restart(std::span<const double> start);
  // The next iterate, as long as the start.
  void append(std::span<const double> iterate);
  // Whether there were K iterates since the start.
  bool full() const { return used_ == kDepth + 1; }
  // Writes the extrapolated point.  False if the steps give none: they vanish, or the system is singular.  Call it when
  // full().
  bool extrapolate(std::span<double> point);

 private:
  std::span<const double> iterate(std::size_t k) const { return std::span(store_).subspan(k * size_, size_); }

  std::size_t size_ = 0, used_ = 0;
  std::vector<double> store_;  // iterates one after the other
};

}  // namespace rota::lasso
