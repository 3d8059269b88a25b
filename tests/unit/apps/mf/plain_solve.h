// tests/unit/apps/mf/plain_solve.h -- a x = y by Gaussian elimination with pivots.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace rota::tests {

inline std::vector<double> plain_solve(std::vector<std::vector<double>> a, std::vector<double> y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t best = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[best][i])) best = r;
    std::swap(a[i], a[best]);
    std::swap(y[i], y[best]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double times = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= times * a[i][c];
      y[r] -= times * y[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) y[i] -= a[i][c] * y[c];
    y[i] /= a[i][i];
  }
  return y;
}

}  // namespace rota::tests
