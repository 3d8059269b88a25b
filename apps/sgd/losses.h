// apps/sgd/losses.h -- losses of a row with the linear prediction f and the target y, and their slopes in f, in
// operations that every processor rounds alike.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "apps/linear/logistic_loss.h"

namespace rota::sgd {

// log(1 + exp(-y f)), y of -1 and 1.
struct LogisticLoss {
  static double value(double f, double y) { return linear::logistic_row(y * f).loss; }
  static double slope(double f, double y) {
    const double margin = y * f;
    const double e = linear::exp_of_minus(std::abs(margin));
    return -y * linear::if_negative(margin, 1, e) / (1 + e);
  }
};

// (y - f)^2 / 2
struct SquaredLoss {
  static double value(double f, double y) { return (y - f) * (y - f) / 2; }
  static double slope(double f, double y) { return f - y; }
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
};

// -log of the probability exp(f_y) / sum_k exp(f_k) of the row's class y.  Puts the probabilities, which are the
// slopes but for that of y, in the place of the f_k.
inline double softmax_loss(std::span<double> f, std::size_t y) {
  const double most = *std::max_element(f.begin(), f.end());
  const double wanted = f[y];
  double sum = 0;
  for (double& one : f) sum += (one = linear::exp_of_minus(most - one));
  for (double& one : f) one /= sum;
  return linear::log_of(sum) + (most - wanted);
}

}  // namespace rota::sgd
