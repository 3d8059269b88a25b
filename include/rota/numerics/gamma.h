// rota/numerics/gamma.h -- draws from normal, gamma and Dirichlet distributions, the same to the last bit on every
// machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "rota/numerics/portable_math.h"
#include "rota/random.h"

namespace rota {

// Of mean 0 and variance 1 (Marsaglia's polar method).
inline double draw_normal(Random& random) {
  for (;;) {
    const double x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1, square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * logarithm(square) / square);
  }
}

// The logarithm of a draw from the gamma distribution of this shape and scale 1: the draw itself can be too small for a
// double.  Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 2000; for shapes below 1 its
// section 6.  REQUIRES: shape > 0.
inline double draw_log_gamma(double shape, Random& random) {
  if (shape < 1) {
    const double log_u = logarithm(1 - random.uniform());
    return draw_log_gamma(shape + 1, random) + log_u / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_normal(random), root = 1 + c * x;
    if (root <= 0) continue;
    const double log_v = 3 * logarithm(root), v = root * root * root;
    if (logarithm(1 - random.uniform()) < x * x / 2 + d - d * v + d * log_v) return logarithm(d) + log_v;
  }
}

// From the Dirichlet distribution with these parameters, all > 0: numbers that add up to 1 take their place.
inline void draw_dirichlet(std::span<double> numbers, Random& random) {
  for (double& number : numbers) number = draw_log_gamma(number, random);
  const double largest = *std::max_element(numbers.begin(), numbers.end());
  double sum = 0;
  for (double& number : numbers) {
    number = exponential(number - largest);
    sum += number;
  }
  for (double& number : numbers) number /= sum;
}

}  // namespace rota
