// apps/lasso/solver/anderson.cc
#include "apps/lasso/solver/anderson.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/lasso/solver/cholesky.h"

namespace rota::lasso {
void Anderson::restart(std::span<const double> start) {
  size_ = start.size();
  store_.resize((kDepth + 1) * size_);
  used_ = 0;
  append(start);
}

void Anderson::append(std::span<const double> iterate) {
  std::copy(iterate.begin(), iterate.end(), store_.begin() + static_cast<std::ptrdiff_t>(used_ * size_));
  ++used_;
}

bool Anderson::extrapolate(std::span<double> point) {
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
  std::array<double, kDepth * kDepth> system{};
  for (std::size_t a = 0; a < kDepth; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      system[a * kDepth + b] = a == b ? 1 + kRidge : products[a][b] * scale[a] * scale[b];
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

}  // namespace rota::lasso
