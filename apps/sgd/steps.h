// apps/sgd/steps.h -- the step of each optimiser for a gradient: one step of one weight, for a LocalPass.
//
// `state` is the weight, followed by the optimiser's state of it.
#pragma once
#include <emmintrin.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/linear_models/feature_counts.h"
#include "apps/linear_models/local_pass.h"
#include "apps/linear_models/ordered_sum.h"
#include "apps/linear_models/penalty.h"
#include "apps/sgd/settings.h"

namespace rota::sgd {

using linear::FeatureScale;
using linear::TwoDoubles;

// With the rate r_t = rate / sqrt(t), t counting the rows that a shard has seen.
class PlainStep {
 public:
  static constexpr std::uint32_t kWidth = 1;
  static constexpr bool kShares = false;
  explicit PlainStep(const StepSettings& settings) : settings_(settings) {}

  void begin_row(double t) { rate_ = settings_.rate / std::sqrt(t); }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = rate_ * scale.step;
    state[0] = linear::penalized(state[0] - rate * gradient, rate, static_cast<double>(scale.presence), settings_);
  }

 private:
  StepSettings settings_;
  double rate_ = 0;
};

// How a weight of AdaGrad begins.  All must outlive the steps.
struct AdagradStart {
  std::span<const FeatureScale> scales;   // by key
  std::span<const double> first_squares;  // by key, for weights of another optimiser; none if there are none
  std::span<const double> intercepts;     // by output; none: 0
};

// Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 2011:
// the rate is divided by the root of the sum of squared gradients, which follows the weights.  The sum begins with that
// of a slope of 1 at the feature's usual value: else the first step with a feature would be of the full rate for the
// smallest slope, such as that of a row of a class that nearly all rows have.
//
// All K > 1 outputs of a feature share a sum: with sums of their own, rare classes would learn rare features by heart.
// A row adds the mean of their squares, of features that few rows have up to sqrt(K / 2) times as much, for the same
// reason.  Steps of two outputs are those of a single one, as their slopes are opposite.
class AdagradStep {
 public:
  static constexpr std::uint32_t kWidth = 2;
  static constexpr bool kShares = true;
  AdagradStep(const StepSettings& settings, const AdagradStart& start) : settings_(settings), start_(start) {}

  void begin(double* row, const linear::RowLayout& of, std::uint32_t key) const {
    double& sum = row[sum_at(of)];
    if (sum != 0) return;
    const double first = settings_.beta / start_.scales[key].step;
    sum = first * first;
    // Weights of another optimiser have no squares yet, and would be lost in steps of the full rate.
    for (std::uint32_t k = 0; k < of.outputs && key < start_.first_squares.size(); ++k)
      if (row[k * of.stride] != 0) {
        sum += start_.first_squares[key];
        break;
      }
    for (std::uint32_t k = 0; key == linear::kIntercept && k < start_.intercepts.size(); ++k)
      row[k * of.stride] = start_.intercepts[k];
  }
  // Of the sum in a row of the table.
  static std::uint32_t sum_at(const linear::RowLayout& of) { return of.shared > 0 ? of.width() - 1 : 1; }

  // For a single output ...
  void begin_row(double) {}
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    two(state, state, TwoDoubles{gradient, gradient}, scale, scale);
  }
  // Roots and quotients of two numbers take the time of one.
  void two(double* a, double* b, TwoDoubles gradients, const FeatureScale& of_a, const FeatureScale& of_b) const {
    const TwoDoubles rate = settings_.rate * TwoDoubles{of_a.step, of_b.step};
    const TwoDoubles penalty =
        rate * TwoDoubles{static_cast<double>(of_a.presence), static_cast<double>(of_b.presence)};
    const TwoDoubles sum = TwoDoubles{a[1], b[1]} + gradients * gradients;
    const TwoDoubles root = _mm_sqrt_pd(sum + kTiny);
    // All multiplied by the root, to divide once.
    TwoDoubles w = TwoDoubles{a[0], b[0]} * root - rate * gradients;
    if (settings_.l1 > 0)
      w = TwoDoubles{linear::shrunk(w[0], penalty[0] * settings_.l1), linear::shrunk(w[1], penalty[1] * settings_.l1)};
    w /= root + penalty * settings_.l2;
    a[0] = w[0];
    a[1] = sum[0];
    b[0] = w[1];
    b[1] = sum[1];
  }
  // ... and for several.
  void begin_row(double, std::span<const double> slopes) {
    const auto outputs = static_cast<double>(slopes.size());
    squares_ = linear::ordered_sum(slopes.size(), [&](std::size_t k) { return slopes[k] * slopes[k]; }) / outputs;
    of_rare_ = squares_ * (std::sqrt(outputs / 2) - 1);
  }
  void all(double* row, std::span<const double> slopes, double value, const FeatureScale& scale) const {
    all<1>(row, slopes, value, scale, [](double*, double) {});
  }
  // Calls moved(state, w) of each output, whose weight was w.
  template <std::size_t kStride, typename Moved>
  void all(double* row, std::span<const double> slopes, double value, const FeatureScale& scale,
           const Moved& moved) const {
    double& sum = row[slopes.size() * kStride];
    const double absent = scale.presence > 0 ? 1 - 1 / static_cast<double>(scale.presence) : 0;
    sum += (squares_ + absent * of_rare_) * value * value;
    const double root = std::sqrt(sum + kTiny), rate = settings_.rate * scale.step / root;
    const double penalty = rate * static_cast<double>(scale.presence), by = rate * value;
    const double kept = settings_.l2 > 0 ? 1 / (1 + penalty * settings_.l2) : 1;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      double* const state = row + k * kStride;
      const double w = state[0], next = w - by * slopes[k];
      state[0] = (settings_.l1 > 0 ? linear::shrunk(next, penalty * settings_.l1) : next) * kept;
      moved(state, w);
    }
  }

 private:
  static constexpr double kTiny = 1e-300;  // squares may all be 0 in double precision: then the weight stays 0

  StepSettings settings_;
  AdagradStart start_;
  // Of the row's slopes: the mean, and how much more of it the rarest feature adds.
  double squares_ = 0, of_rare_ = 0;
};

// McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013: FTRL-proximal, with beta a gradient of
// slope 1 at the feature's largest value.  state[1] is their z, state[2] their n.  Their penalties count once for all
// rows together; here for each, so that they keep their proportion to the mean loss: t times as much after t rows, as
// of the row in which the weight is computed.
class FtrlStep {
 public:
  static constexpr std::uint32_t kWidth = 3;
  static constexpr bool kShares = false;
  // `scales`, by key, must outlive it.
  FtrlStep(const StepSettings& settings, std::span<const FeatureScale> scales) : settings_(settings), scales_(scales) {}

  void begin_row(double t) { rows_ = t; }
  // A weight of another optimiser has neither z nor n yet: sets z to the value that gives it.
  void begin(double* row, const linear::RowLayout& of, std::uint32_t key) const {
    for (double* state = row; state != row + of.width(); state += of.stride)
      if (state[0] != 0 && state[1] == 0 && state[2] == 0)
        state[1] = -state[0] * (settings_.beta / scales_[key].step / (settings_.rate * scales_[key].step));
  }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = settings_.rate * scale.step;
    const double before = state[2];
    state[2] += gradient * gradient;
    state[1] += gradient - (std::sqrt(state[2]) - std::sqrt(before)) / rate * state[0];
    state[0] = weight(state, scale.step, scale.presence > 0 ? rows_ : 0);
  }
  // The weight of z and n, with the scale of its steps; `rows` is 0 if it bears no penalty.
  double weight(const double* state, double step, double rows) const {
    // -z / ((beta / step + root) / (rate step) + l2 rows), to divide once.
    const double z = settings_.l1 > 0 ? linear::shrunk(state[1], settings_.l1 * rows) : state[1];
    const double rate = settings_.rate * step * step;
    return z == 0 ? 0 : -z * rate / (settings_.beta + std::sqrt(state[2]) * step + settings_.l2 * rows * rate);
  }

 private:
  StepSettings settings_;
  std::span<const FeatureScale> scales_;
  double rows_ = 0;
};

// After the state of another optimiser, for the mean of the weights over the rows of a round (Polyak and Juditsky,
// "Acceleration of stochastic approximation by averaging", 1992; of the last rows only, as in Rakhlin, Shamir and
// Sridharan, "Making gradient descent optimal for strongly convex stochastic optimization", ICML 2012): the sum of each
// move times the rows before it.  Divided by all rows, it is the difference of the weight and the mean.
template <typename Step>
class AveragedStep {
 public:
  static constexpr std::uint32_t kWidth = Step::kWidth + 1;
  static constexpr bool kShares = Step::kShares;
  explicit AveragedStep(const Step& step) : step_(step) {}

  void begin_row(double t, auto... slopes) {
    step_.begin_row(t, slopes...);
    before_ += 1;
  }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double weight = state[0];
    step_(state, gradient, scale);
    state[kWidth - 1] += before_ * (state[0] - weight);
  }
  void all(double* row, std::span<const double> slopes, double value, const FeatureScale& scale) const {
    step_.template all<Step::kWidth>(row, slopes, value, scale, [&](double* state, double weight) {
      state[Step::kWidth - 1] += before_ * (state[0] - weight);
    });
  }
  void begin(double* row, const linear::RowLayout& of, std::uint32_t key) const {
    for (std::uint32_t k = 1; k <= of.outputs; ++k) row[k * of.stride - 1] = 0;  // starts again in each round
    if constexpr (requires { step_.begin(row, of, key); }) step_.begin(row, of, key);
  }
  void end(double* row, const linear::RowLayout& of) const {
    for (std::uint32_t k = 0; k < of.outputs; ++k) {
      double* const state = row + k * of.stride;
      state[of.stride - 1] = state[0] - state[of.stride - 1] / (before_ + 1);
    }
  }

 private:
  Step step_;
  double before_ = -1;  // rows of the round
};

}  // namespace rota::sgd
