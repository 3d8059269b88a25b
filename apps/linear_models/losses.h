// apps/linear_models/losses.h -- losses of a row with the linear prediction f and the target y, and their slopes in f,
// in operations that every processor rounds alike.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/linear_models/logistic_loss.h"
#include "rota/numerics/widest_registers.h"

namespace rota::linear {

// exp(-t) for t >= 0 with a relative error below 1e-11, for a slope, which the next row depends on: half the latency of
// exp_of_minus(), whose polynomial is longer and one chain.
inline double quick_exp_of_minus(double t) {
  const auto [r, exponent] = take_power_of_two_out(t);
  const double r2 = r * r, r4 = r2 * r2;
  // The Taylor series of exp up to r^9, terms in pairs.
  const double low = (1 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const double high = 1.0 / 40320 + r * (1.0 / 362880);
  const double sum = low + r4 * (middle + r4 * high);
  return with_power_of_two(sum, exponent);
}

// log(1 + exp(-y f)), y of -1 and 1.
struct LogisticLoss {
  static double value(double f, double y) { return logistic_row(y * f).loss; }
  static double slope(double f, double y) {
    const double margin = y * f;
    const double e = quick_exp_of_minus(std::abs(margin));
    return -y * if_negative(margin, 1, e) / (1 + e);
  }
  static double curvature(double f, double) {
    const LogisticRow row = logistic_row(f);
    return row.p * row.rest;
  }
};

// (y - f)^2 / 2
struct SquaredLoss {
  static double value(double f, double y) { return (y - f) * (y - f) / 2; }
  static double slope(double f, double y) { return f - y; }
  static double curvature(double, double) { return 1; }
};

// max(0, 1 - y f), y of -1 and 1.
struct HingeLoss {
  static double value(double f, double y) { return std::max(0.0, 1 - y * f); }
  static double slope(double f, double y) { return y * f < 1 ? -y : 0; }
};

// max(0, 1 - y f)^2, without a half as in LIBLINEAR.
struct SquaredHingeLoss {
  static double value(double f, double y) {
    const double short_by = std::max(0.0, 1 - y * f);
    return short_by * short_by;
  }
  static double slope(double f, double y) { return -2 * y * std::max(0.0, 1 - y * f); }
  static double curvature(double f, double y) { return y * f < 1 ? 2 : 0; }
};

// Replaces each link by its row's loss.
template <typename LossOfRow>
ROTA_WIDEST_REGISTERS void to_losses(std::span<double> links, std::span<const double> targets) {
  double* const __restrict f = links.data();
  const double* const __restrict y = targets.data();
  for (std::size_t i = 0; i < links.size(); ++i) f[i] = LossOfRow::value(f[i], y[i]);
}

// -log of the probability exp(f_y) / sum_k exp(f_k) of the row's class y.  Replaces the f_k by the probabilities, which
// are the slopes except for that of y.
inline double softmax_loss(std::span<double> f, std::size_t y) {
  const double most = *std::max_element(f.begin(), f.end());
  const double wanted = f[y];
  double sum = 0;
  for (double& one : f) sum += (one = exp_of_minus(most - one));
  for (double& one : f) one /= sum;
  return log_of(sum) + (most - wanted);
}

// Of a row's links and its target: returns the loss, and replaces the links by the slopes.
template <typename LossOfRow>
struct OneOutput {
  static double slopes(std::span<double> f, double y) {
    const double link = f[0];
    f[0] = LossOfRow::slope(link, y);
    return LossOfRow::value(link, y);
  }
};

// The same for many classes, where the target is the number of the row's class.
struct SoftmaxOutputs {
  static double slopes(std::span<double> f, double target) {
    const auto y = static_cast<std::size_t>(target);
    const double loss = softmax_loss(f, y);
    f[y] -= 1;
    return loss;
  }
};

// The same for each class against the rest, with a loss of two classes: the sum of the losses.
template <typename LossOfRow>
struct OutputsAgainstRest {
  static double slopes(std::span<double> f, double target) {
    const auto y = static_cast<std::size_t>(target);
    double losses = 0;
    for (std::size_t k = 0; k < f.size(); ++k) {
      const double sign = k == y ? 1 : -1;
      losses += LossOfRow::value(f[k], sign);
      f[k] = LossOfRow::slope(f[k], sign);
    }
    return losses;
  }
};

// A row's loss for Newton's method: with its curvature, and the row's term of the dual objective.
//
// The hinge loss has no curvature, so it is fitted by the method of multipliers: with a multiplier a for each row, 0 <=
// a <= 1, and a sharpness s it is smoothed to
//
//   s z^2 / 2 for 0 <= z <= 1/s,   z - 1/(2 s) beyond,   with z = 1 - y f + a / s
//
// whose slope -y clip(s z, 0, 1) gives the next multiplier.  At the optimum the multipliers are the dual variables, and
// the smoothing has no effect for any s.  (An augmented Lagrangian with semismooth Newton steps: Yan and Li,
// "An efficient augmented Lagrangian method for support vector machine", Optimization Methods and Software 2020.)

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
