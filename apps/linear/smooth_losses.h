// apps/linear/smooth_losses.h -- a row's loss for Newton's method: with its curvature, and the row's term of the dual
// objective.
//
// The hinge loss has no curvature, so it is fitted by the method of multipliers: with a multiplier a for each row, 0 <=
// a <= 1, and a sharpness s it is smoothed to
//
//   s z^2 / 2 for 0 <= z <= 1/s,   z - 1/(2 s) beyond,   with z = 1 - y f + a / s
//
// whose slope -y clip(s z, 0, 1) gives the next multiplier.  At the optimum the multipliers are the dual variables, and
// the smoothing has no effect for any s.  (An augmented Lagrangian with semismooth Newton steps: Yan and Li,
// "An efficient augmented Lagrangian method for support vector machine", Optimization Methods and Software 2020.)
#pragma once
#include <algorithm>

#include "apps/linear/losses.h"

namespace rota::linear {

// A loss that is smooth itself.
template <typename LossOfRow>
struct SmoothLoss {
  static constexpr bool kHasMultipliers = false;
  double value(double f, double y, double) const { return LossOfRow::value(f, y); }
  double slope(double f, double y, double) const { return LossOfRow::slope(f, y); }
  double curvature(double f, double y, double) const { return LossOfRow::curvature(f, y); }
  double primal(double f, double y) const { return LossOfRow::value(f, y); }
  // For the dual variable -y slope, where the dual objective is needed: of squared hinge.
  double dual(double f, double y, double) const {
    const double b = -y * LossOfRow::slope(f, y);
    return b - b * b / 4;
  }
};

struct SmoothedHinge {
  static constexpr bool kHasMultipliers = true;
  double sharpness;

  double z(double f, double y, double a) const { return 1 - y * f + a / sharpness; }
  double multiplier(double f, double y, double a) const { return std::clamp(sharpness * z(f, y, a), 0.0, 1.0); }
  double value(double f, double y, double a) const {
    const double here = z(f, y, a), next = std::clamp(sharpness * here, 0.0, 1.0);
    return next * (here - next / (2 * sharpness));
  }
  double slope(double f, double y, double a) const { return -y * multiplier(f, y, a); }
  double curvature(double f, double y, double a) const {
    const double next = sharpness * z(f, y, a);
    return next > 0 && next < 1 ? sharpness : 0;
  }
  double primal(double f, double y) const { return HingeLoss::value(f, y); }
  double dual(double f, double y, double a) const { return multiplier(f, y, a); }
};

}  // namespace rota::linear
