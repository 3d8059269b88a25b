// apps/sgd/steps.h -- the step of each optimiser for a gradient: one step of one weight.
//
// A feature is in some rows only, so a row with it also bears the penalties of the rows without: its `presence` times
// l1 |w| + l2/2 w^2.  In the mean over the rows that is each penalty once, and only weights of a row's features change.
// Penalties are applied as proximal steps, so that they never overshoot, and L1 gives weights that are exactly 0.
//
// `state` is the weight, followed by the optimiser's state of it.
#pragma once
#include <cmath>

#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/settings.h"

namespace rota::sgd {

// Moves w towards 0 by `by`, at most to 0.
inline double shrunk(double w, double by) {
  const double size = std::abs(w) - by;
  return size > 0 ? std::copysign(size, w) : 0.0;
}

// After a step of this rate: both penalties of the rows that this row bears.
inline double penalized(double w, double rate, double presence, const StepSettings& settings) {
  if (settings.l1 > 0) w = shrunk(w, rate * settings.l1 * presence);
  return settings.l2 > 0 ? w / (1 + rate * settings.l2 * presence) : w;
}

// With the rate r_t = rate / sqrt(t), t counting the rows that a shard has seen.
class PlainStep {
 public:
  static constexpr std::uint32_t kWidth = 1;
  explicit PlainStep(const StepSettings& settings) : settings_(settings) {}

  void begin_row(double t) { rate_ = settings_.rate / std::sqrt(t); }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = rate_ * scale.step;
    state[0] = penalized(state[0] - rate * gradient, rate, static_cast<double>(scale.presence), settings_);
  }

 private:
  StepSettings settings_;
  double rate_ = 0;
};

// Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 2011:
// the rate is divided by the root of the sum of squared gradients, state[1].
class AdagradStep {
 public:
  static constexpr std::uint32_t kWidth = 2;
  explicit AdagradStep(const StepSettings& settings) : settings_(settings) {}

  void begin_row(double) {}
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    constexpr double kTiny = 1e-300;  // no gradient yet: the weight stays 0
    const double rate = settings_.rate * scale.step;
    const double penalty = rate * static_cast<double>(scale.presence);
    state[1] += gradient * gradient;
    const double root = std::sqrt(state[1] + kTiny);
    // All multiplied by the root, to divide once.
    double w = state[0] * root - rate * gradient;
    if (settings_.l1 > 0) w = shrunk(w, penalty * settings_.l1);
    state[0] = w / (root + penalty * settings_.l2);
  }
  // A weight of another optimiser has no squares yet, and would be lost in steps of the full rate.
  static void begin(double* state, double squares) {
    if (state[0] != 0 && state[1] == 0) state[1] = squares;
  }

 private:
  StepSettings settings_;
};

// McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013: FTRL-proximal, with beta a gradient of
// slope 1 at the feature's largest value.  state[1] is their z, state[2] their n.  Their penalties count once for all
// rows together; here for each, so that they keep their proportion to the mean loss: t times as much after t rows, as
// of the row in which the weight is computed.
class FtrlStep {
 public:
  static constexpr std::uint32_t kWidth = 3;
  explicit FtrlStep(const StepSettings& settings) : settings_(settings) {}

  void begin_row(double t) { rows_ = t; }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = settings_.rate * scale.step;
    const double before = state[2];
    state[2] += gradient * gradient;
    state[1] += gradient - (std::sqrt(state[2]) - std::sqrt(before)) / rate * state[0];
    state[0] = weight(state, scale.step, scale.presence > 0 ? rows_ : 0);
  }
  // A weight of another optimiser has neither z nor n yet: sets z to the value that gives it.
  void begin(double* state, const FeatureScale& scale) const {
    if (state[0] != 0 && state[1] == 0 && state[2] == 0)
      state[1] = -state[0] * (settings_.beta / scale.step / (settings_.rate * scale.step));
  }
  // The weight of z and n, with the scale of its steps; `rows` is 0 if it bears no penalty.
  double weight(const double* state, double step, double rows) const {
    // -z / ((beta / step + root) / (rate step) + l2 rows), to divide once.
    const double z = settings_.l1 > 0 ? shrunk(state[1], settings_.l1 * rows) : state[1];
    const double rate = settings_.rate * step * step;
    return z == 0 ? 0 : -z * rate / (settings_.beta + std::sqrt(state[2]) * step + settings_.l2 * rows * rate);
  }

 private:
  StepSettings settings_;
  double rows_ = 0;
};

// Johnson and Zhang, "Accelerating stochastic gradient descent using predictive variance reduction", NIPS 2013.  The
// gradient is given less the row's own at the snapshot, and state[1] is that of all rows there.  A row bears it for
// n / n_j rows, like the penalties; so a step changes only the row's features, and at the optimum every step is 0
// (Pedregosa, Leblond and Lacoste-Julien, "Breaking the nonsmooth barrier", NIPS 2017, section 2).  state[2] is the
// weight of the previous snapshot, for pull.
class SvrgStep {
 public:
  static constexpr std::uint32_t kWidth = 3;
  explicit SvrgStep(const StepSettings& settings) : settings_(settings) {}

  void begin_row(double) {}
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = settings_.rate * scale.step;
    const auto presence = static_cast<double>(scale.presence);
    const double rows = presence > 0 ? presence : 1;  // of an unpenalised intercept, which is in every row
    state[0] = penalized(state[0] - rate * (gradient + rows * state[1]), rate, presence, settings_);
  }

 private:
  StepSettings settings_;
};

// After the state of another optimiser, for the mean of the weights over the rows of a round (Polyak and Juditsky,
// "Acceleration of stochastic approximation by averaging", 1992; of the last rows only, as in Rakhlin, Shamir and
// Sridharan, "Making gradient descent optimal for strongly convex stochastic optimization", ICML 2012): the sum of each
// move times the rows before it.  Divided by all rows, it is the difference of the weight and the mean.
template <typename Step>
class AveragedStep {
 public:
  static constexpr std::uint32_t kWidth = Step::kWidth + 1;
  explicit AveragedStep(const StepSettings& settings) : step_(settings) {}

  void begin_row(double t) {
    step_.begin_row(t);
    before_ += 1;
  }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double weight = state[0];
    step_(state, gradient, scale);
    state[kWidth - 1] += before_ * (state[0] - weight);
  }

 private:
  Step step_;
  double before_ = -1;
};

}  // namespace rota::sgd
