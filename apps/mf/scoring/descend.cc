#include "apps/mf/scoring/descend.h"

#include <algorithm>
#include <cmath>

namespace rota::mf {

void descend(std::span<const double> a, std::size_t width, std::span<const double> y, std::size_t bounded,
             std::span<double> x) {
  constexpr int kSweeps = 1000;
  constexpr double kEnough = 1e-10;  // of the largest number
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      double gradient = -y[i];
      for (std::size_t k = 0; k < y.size(); ++k) gradient += a[i * width + k] * x[k];
      const double wanted = a[i * width + i] > 0 ? x[i] - gradient / a[i * width + i] : 0;
      const double value = i < bounded ? std::max(0.0, wanted) : wanted;
      moved = std::max(moved, std::abs(value - x[i]));
      x[i] = value;
      largest = std::max(largest, std::abs(value));
    }
    if (moved <= kEnough * largest) break;
  }
}

}  // namespace rota::mf
