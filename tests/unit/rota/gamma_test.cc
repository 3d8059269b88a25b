#include "rota/numerics/gamma.h"

namespace rota {
namespace {

constexpr int kDraws = 50000;

// Mean and variance of draws.
template <typename Draw>
std::pair<double, double> moments(Draw draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

TEST(Gamma, NormalDrawsHaveTheMomentsOfTheirDistribution) {
  Random random({1, 2, 3, 4});
  const auto [mean, variance] = moments([&] { return draw_normal(random); });
  EXPECT_NEAR(mean, 0, 6 / std::sqrt(kDraws));
  EXPECT_NEAR(variance, 1, 6 * std::sqrt(2.0 / kDraws));
  int below = 0;  // -1: 0.158655 of the distribution
  for (int i = 0; i < kDraws; ++i) below += draw_normal(random) < -1 ? 1 : 0;
  EXPECT_NEAR(below, 0.158655 * kDraws, 6 * std::sqrt(0.1335 * kDraws));
}

TEST(Gamma, NormalDrawsOfAPrecisionHaveItsMeanAndCovariance) {
  Random random({1, 2, 3, 4});
  // P = (4 1; 1 2): its inverse is (2 -1; -1 4) / 7, and the mean (-1 11) / 7.
  const std::vector<double> b = {1, 3}, lower = {4, 1, 2};
  std::vector<double> x(2);
  double first = 0, second = 0, squares = 0, products = 0;
  for (int i = 0; i < kDraws; ++i) {
    draw_normal(b, lower, random, x);
    const double apart[] = {x[0] + 1.0 / 7, x[1] - 11.0 / 7};
    first += apart[0];
    second += apart[1];
    squares += apart[1] * apart[1];
    products += apart[0] * apart[1];
  }
  EXPECT_NEAR(first / kDraws, 0, 0.015);
  EXPECT_NEAR(second / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 4.0 / 7, 0.02);
  EXPECT_NEAR(products / kDraws, -1.0 / 7, 0.015);
}

TEST(Gamma, InverseGaussianDrawsHaveTheMomentsOfTheirDistribution) {
  Random random({1, 2, 3, 4});
  for (const auto& [mu, shape] :
       {std::pair(1.0, 1.0), std::pair(0.5, 2.0), std::pair(0.001, 2.56), std::pair(3.0, 9.0)}) {
    const auto [mean, variance] = moments([&] { return draw_inverse_gaussian(mu, shape, random); });
    const double expected = mu * mu * mu / shape;
    EXPECT_NEAR(mean, mu, 6 * std::sqrt(expected / kDraws)) << mu;
    EXPECT_NEAR(variance, expected, 6 * expected * std::sqrt((2 + 15 * mu / shape) / kDraws)) << mu;
  }
}

TEST(Gamma, DrawsHaveTheMomentsOfTheirDistribution) {
  Random random({1, 2, 3, 4});
  for (const double a : {0.1, 0.5, 1.0, 1.5, 4.0, 100.0}) {
    const auto [mean, variance] = moments([&] { return std::exp(draw_log_gamma(a, random)); });
    EXPECT_NEAR(mean, a, 6 * std::sqrt(a / kDraws)) << a;
    // The fourth central moment is 3 a^2 + 6 a.
    EXPECT_NEAR(variance, a, 6 * std::sqrt((2 * a * a + 6 * a) / kDraws)) << a;
  }
}

TEST(Gamma, ShapeOneIsTheExponentialDistribution) {
  Random random({1, 2, 3, 4});
  int below = 0;
  for (int i = 0; i < kDraws; ++i) below += std::exp(draw_log_gamma(1, random)) < 0.5 ? 1 : 0;
  EXPECT_NEAR(below, (1 - std::exp(-0.5)) * kDraws, 6 * std::sqrt(0.24 * kDraws));
}

TEST(Dirichlet, DrawsHaveTheMeansOfTheirDistribution) {
  Random random({1, 2, 3, 4});
  const std::vector<double> parameters = {0.2, 1, 3.8};
  std::vector<double> sums(3);
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> numbers = parameters;
    draw_dirichlet(numbers, random);
    ASSERT_NEAR(numbers[0] + numbers[1] + numbers[2], 1, 1e-15);
    for (std::size_t k = 0; k < 3; ++k) sums[k] += numbers[k];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double mean = parameters[k] / 5, deviation = std::sqrt(mean * (1 - mean) / 6);
    EXPECT_NEAR(sums[k] / kDraws, mean, 6 * deviation / std::sqrt(kDraws)) << k;
  }
}

TEST(Dirichlet, TinyParametersGiveNumbers) {
  Random random({1, 2, 3, 4});
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> numbers(3, 1e-5);  // draws of the gamma distribution would all be 0
    draw_dirichlet(numbers, random);
    ASSERT_NEAR(numbers[0] + numbers[1] + numbers[2], 1, 1e-15);
  }
}

}  // namespace
}  // namespace rota
