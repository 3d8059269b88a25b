// apps/lasso/solver/cholesky.h -- solves small symmetric positive definite systems.
#pragma once
#include <cmath>
#include <cstddef>
#include <span>

#include "apps/linear_models/ordered_sum.h"

namespace rota::lasso {

// Solves A x = b in place: b becomes x.  Of A, `size` x `size`, the lower triangle is given, row after row, and becomes
// its Cholesky factor.  False if A is not positive definite within rounding; then b has no meaning.  Takes about
// size^3 / 6 multiplications.
inline bool solve_definite(std::size_t size, std::span<double> a, std::span<double> b) {
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = a.data() + i * (i + 1) / 2;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = a.data() + j * (j + 1) / 2;
      const double left = row[j] - linear::ordered_sum(j, [=](std::size_t k) { return row[k] * other[k]; });
      if (j < i) {
        row[j] = left / other[j];
      } else {
        if (!(left > 0) || !std::isfinite(left)) return false;
        row[j] = std::sqrt(left);
      }
    }
    b[i] = (b[i] - linear::ordered_sum(i, [=](std::size_t k) { return row[k] * b[k]; })) / row[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    const double* const row = a.data() + i * (i + 1) / 2;
    b[i] /= row[i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
  return true;
}

}  // namespace rota::lasso
