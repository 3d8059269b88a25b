// rota/numerics/gamma.h -- draws from normal, inverse Gaussian, gamma and Dirichlet distributions, the same to the last
// bit on every machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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

// Of this mean and shape, both > 0.  Michael, Schucany and Haas, "Generating random variates using transformations with
// multiple roots", The American Statistician 1976; the two roots are mean / half and mean * half, without differences
// that lose digits.
inline double draw_inverse_gaussian(double mean, double shape, Random& random) {
  const double normal = draw_normal(random), t = mean * normal * normal / shape;
  const double half = (2 + t + std::sqrt(t * (t + 4))) / 2;
  return random.uniform() * (1 + half) < half ? mean / half : mean * half;
}

// From the normal distribution of mean P^-1 b and covariance P^-1; `lower` is the lower triangle of P, row by row. With
// the Cholesky factor L L' = P, the draw x solves L' x = L^-1 b + draws of variance 1.  REQUIRES: P is positive
// definite.
inline void draw_normal(std::span<const double> b, std::vector<double> lower, Random& random, std::span<double> x) {
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return lower[i * (i + 1) / 2 + j]; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = b[i];
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
      at(i, j) /= at(j, j);
      at(i, i) -= at(i, j) * at(i, j);
      x[i] -= at(i, j) * x[j];
    }
    at(i, i) = std::sqrt(at(i, i));
    x[i] /= at(i, i);
  }
  for (double& each : x) each += draw_normal(random);
  for (std::size_t i = x.size(); i-- > 0;) {
    for (std::size_t j = i + 1; j < x.size(); ++j) x[i] -= at(j, i) * x[j];
    x[i] /= at(i, i);
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
