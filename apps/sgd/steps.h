// apps/sgd/steps.h -- the step of each optimiser for a gradient: one step of one weight, for a LocalPass.
//
// `state` is the weight, followed by the optimiser's state of it.
#pragma once
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/linear_models/feature_counts.h"
#include "apps/linear_models/penalty.h"
#include "apps/sgd/settings.h"

namespace rota::sgd {

using linear::FeatureScale;

// With the rate r_t = rate / sqrt(t), t counting the rows that a shard has seen.
class PlainStep {
 public:
  static constexpr std::uint32_t kWidth = 1;
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
// the rate is divided by the root of the sum of squared gradients, state[1].  The sum begins with that of a slope of 1
// at the feature's usual value: else the first step with a feature would be of the full rate for the smallest slope,
// such as that of a row of a class that nearly all rows have.
class AdagradStep {
 public:
  static constexpr std::uint32_t kWidth = 2;
  AdagradStep(const StepSettings& settings, const AdagradStart& start) : settings_(settings), start_(start) {}

  void begin_row(double) {}
  void begin(double* state, std::uint32_t key, std::size_t output) const {
    if (state[1] != 0) return;
    const double first = settings_.beta / start_.scales[key].step;
    state[1] = first * first;
    // A weight of another optimiser has no squares yet, and would be lost in steps of the full rate.
    if (state[0] != 0 && !start_.first_squares.empty())
      state[1] += key < start_.first_squares.size() ? start_.first_squares[key] : 0;
    if (key == linear::kIntercept && !start_.intercepts.empty()) state[0] = start_.intercepts[output];
  }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double rate = settings_.rate * scale.step;
    const double penalty = rate * static_cast<double>(scale.presence);
    state[1] += gradient * gradient;
    const double root = std::sqrt(state[1] + kTiny);
    // All multiplied by the root, to divide once.
    double w = state[0] * root - rate * gradient;
    if (settings_.l1 > 0) w = linear::shrunk(w, penalty * settings_.l1);
    state[0] = w / (root + penalty * settings_.l2);
  }
  // Two outputs at a time, because the processor then takes two roots and divides twice in the time of once.
  void all(double* state, std::span<const double> slopes, double value, const FeatureScale& scale) const {
    std::size_t k = 0;
#if defined(__SSE2__)
    if (settings_.l1 == 0) {
      const double rate = settings_.rate * scale.step;
      const __m128d rates = _mm_set1_pd(rate), values = _mm_set1_pd(value), tiny = _mm_set1_pd(kTiny);
      const __m128d shrinking = _mm_set1_pd(rate * static_cast<double>(scale.presence) * settings_.l2);
      for (; k + 2 <= slopes.size(); k += 2) {
        double* const pair = state + k * kWidth;
        const __m128d first = _mm_loadu_pd(pair), second = _mm_loadu_pd(pair + kWidth);
        const __m128d gradient = _mm_mul_pd(_mm_loadu_pd(slopes.data() + k), values);
        const __m128d squares = _mm_add_pd(_mm_unpackhi_pd(first, second), _mm_mul_pd(gradient, gradient));
        const __m128d root = _mm_sqrt_pd(_mm_add_pd(squares, tiny));
        const __m128d moved = _mm_sub_pd(_mm_mul_pd(_mm_unpacklo_pd(first, second), root), _mm_mul_pd(rates, gradient));
        const __m128d weights = _mm_div_pd(moved, _mm_add_pd(root, shrinking));
        _mm_storeu_pd(pair, _mm_unpacklo_pd(weights, squares));
        _mm_storeu_pd(pair + kWidth, _mm_unpackhi_pd(weights, squares));
      }
    }
#endif
    for (; k < slopes.size(); ++k) (*this)(state + k * kWidth, slopes[k] * value, scale);
  }

 private:
  static constexpr double kTiny = 1e-300;  // squares may all be 0 in double precision: then the weight stays 0

  StepSettings settings_;
  AdagradStart start_;
};

// McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013: FTRL-proximal, with beta a gradient of
// slope 1 at the feature's largest value.  state[1] is their z, state[2] their n.  Their penalties count once for all
// rows together; here for each, so that they keep their proportion to the mean loss: t times as much after t rows, as
// of the row in which the weight is computed.
class FtrlStep {
 public:
  static constexpr std::uint32_t kWidth = 3;
  // `scales`, by key, must outlive it.
  FtrlStep(const StepSettings& settings, std::span<const FeatureScale> scales) : settings_(settings), scales_(scales) {}

  void begin_row(double t) { rows_ = t; }
  // A weight of another optimiser has neither z nor n yet: sets z to the value that gives it.
  void begin(double* state, std::uint32_t key, std::size_t) const {
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
  explicit AveragedStep(const Step& step) : step_(step) {}

  void begin_row(double t) {
    step_.begin_row(t);
    before_ += 1;
  }
  void operator()(double* state, double gradient, const FeatureScale& scale) const {
    const double weight = state[0];
    step_(state, gradient, scale);
    state[kWidth - 1] += before_ * (state[0] - weight);
  }
  void begin(double* state, std::uint32_t key, std::size_t output) const {
    state[kWidth - 1] = 0;  // starts again in each round
    if constexpr (requires { step_.begin(state, key, output); }) step_.begin(state, key, output);
  }
  void end(double* state) const { state[kWidth - 1] = state[0] - state[kWidth - 1] / (before_ + 1); }

 private:
  Step step_;
  double before_ = -1;  // rows of the round
};

}  // namespace rota::sgd
