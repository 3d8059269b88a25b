// apps/lasso/penalty.h -- the elastic-net penalty of a coefficient and the step that minimises along one.
#pragma once
#include <cmath>

namespace rota::lasso {

// A coefficient b of a column with scale s costs l1 s |b| + l2/2 s^2 b^2.  The scale is 1, or the column's weighted
// standard deviation: that penalises as if the column had been standardised, with b in the data's own units.  A column
// with scale 0 is excluded: its coefficient stays 0.
struct Penalty {
  double l1 = 0;  // lambda * l1_ratio, >= 0
  double l2 = 0;  // lambda * (1 - l1_ratio), >= 0

  void fields(auto& list) { list(l1, l2); }
};

inline double penalty_of(const Penalty& penalty, double scale, double coefficient) {
  const double scaled = scale * coefficient;
  return penalty.l1 * std::abs(scaled) + penalty.l2 / 2 * scaled * scaled;
}

// S(z, t) = sign(z) max(|z| - t, 0), the minimiser over b of (b - z)^2 / 2 + t |b|.
inline double soft_threshold(double z, double threshold) {
  if (z > threshold) return z - threshold;
  if (z < -threshold) return z + threshold;
  return 0;
}

// The ratio of a column's gradient c = sum_i x_ij g_i to its dual constraint |c - l2 s^2 b| <= l1 s: above 1 the
// constraint is violated.  The largest over all columns is M in duality.h.  Infinite if a column without an L1 penalty
// has a gradient; 0 for an excluded column.
inline double constraint_ratio(const Penalty& penalty, double scale, double coefficient, double gradient) {
  if (scale <= 0) return 0;
  const double left = std::abs(gradient - penalty.l2 * scale * scale * coefficient);
  return left == 0 ? 0 : left / (penalty.l1 * scale);
}

}  // namespace rota::lasso
