#include "apps/mf/scoring/fold_in.h"

#include <algorithm>
#include <cmath>

namespace rota::mf {
namespace {

// A x = y with A symmetric and positive definite, row after row; A is overwritten.
std::vector<double> solve(std::vector<double>& a, std::vector<double> y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / a[j * n + j];
    }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) y[i] -= a[i * n + k] * y[k];
    y[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) y[i] -= a[k * n + i] * y[k];
    y[i] /= a[i * n + i];
  }
  return y;
}

// The same for the least of x' A x / 2 - y' x, where the first `bounded` of x are at least 0.
std::vector<double> descend(const std::vector<double>& a, const std::vector<double>& y, std::size_t bounded) {
  constexpr int kSweeps = 1000;
  constexpr double kEnough = 1e-10;  // of the largest number
  const std::size_t n = y.size();
  std::vector<double> x(n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double gradient = -y[i];
      for (std::size_t k = 0; k < n; ++k) gradient += a[i * n + k] * x[k];
      const double wanted = a[i * n + i] > 0 ? x[i] - gradient / a[i * n + i] : 0;
      const double value = i < bounded ? std::max(0.0, wanted) : wanted;
      moved = std::max(moved, std::abs(value - x[i]));
      x[i] = value;
      largest = std::max(largest, std::abs(value));
    }
    if (moved <= kEnough * largest) break;
  }
  return x;
}

}  // namespace

NewUser fold_in(const TrainedModel& model, std::span<const ItemRating> ratings) {
  const std::size_t rank = model.settings.rank, size = rank + (model.settings.biases ? 1 : 0);
  std::vector<double> a(size * size), y(size), x(size, 1);
  for (const ItemRating& one : ratings) {
    const std::span<const float> q = model.items.row(one.item);
    std::copy_n(q.begin(), rank, x.begin());
    const double target = one.value - model.base - model.items.biases[one.item];
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) a[i * size + j] += x[i] * x[j];
      y[i] += target * x[i];
    }
  }
  const double times = model.settings.by_rating ? static_cast<double>(std::max<std::size_t>(1, ratings.size())) : 1;
  // Without a penalty too few ratings would leave the factors open: of all that fit, take those near 0.
  const double penalty = std::max(model.settings.penalty * times, 1e-9);
  for (std::size_t i = 0; i < size; ++i) a[i * size + i] += penalty;
  const std::vector<double> found = model.settings.nonnegative ? descend(a, y, rank) : solve(a, y);
  NewUser user;
  user.factors.resize(model.items.width);
  std::transform(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(rank), user.factors.begin(),
                 [](double f) { return static_cast<float>(f); });
  if (model.settings.biases) user.bias = found.back();
  return user;
}

}  // namespace rota::mf
