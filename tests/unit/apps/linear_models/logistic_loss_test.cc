#include "apps/linear_models/logistic_loss.h"

namespace rota::linear {
namespace {

constexpr double kError = 5e-16;  // relative

double error(double value, long double exact) {
  return static_cast<double>(std::abs(value - exact) / std::abs(exact));
}

TEST(LogisticLoss, AgreesWithTheLibraryToTheLastDigits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 200'000; ++i) {
    const double u = uniform(random), sign = i % 2 == 0 ? 1 : -1;
    const double t = sign * (i % 3 == 0 ? 700 * u : i % 3 == 1 ? 40 * u : std::pow(10.0, -16 * u));
    const long double exact = t;
    ASSERT_LE(error(exp_of_minus(std::abs(t)), std::exp(-std::abs(exact))), kError) << t;
    const LogisticRow row = logistic_row(t);
    const long double tail = std::log1p(std::exp(-std::abs(exact)));
    ASSERT_LE(error(row.loss, t < 0 ? tail - exact : tail), kError) << t;
    ASSERT_LE(error(row.p, 1 / (1 + std::exp(exact))), kError) << t;
    ASSERT_LE(error(row.rest, 1 / (1 + std::exp(-exact))), kError) << t;
    const double x = std::exp(sign * (i % 3 == 0 ? 600 * u : u));
    ASSERT_LE(error(log_of(x), std::log(static_cast<long double>(x))), kError) << x;
  }
}

TEST(LogisticLoss, BordersAreFinite) {
  EXPECT_EQ(exp_of_minus(0), 1);
  EXPECT_EQ(log_of(1), 0);
  EXPECT_GT(exp_of_minus(1e300), 0);
  EXPECT_EQ(logistic_row(-1e300).loss, 1e300);
  EXPECT_EQ(logistic_row(-1e300).p, 1);
  EXPECT_GT(logistic_row(-1e300).rest, 0);
  EXPECT_LT(logistic_row(1e300).loss, 1e-300);
  EXPECT_EQ(logistic_row(0).p, 0.5);
}

TEST(LogisticLoss, ChoicesByTheSign) {
  EXPECT_EQ(if_negative(-1, 2, 3), 2);
  EXPECT_EQ(if_negative(0, 2, 3), 3);
  EXPECT_EQ(larger(2, -3), 2);
  EXPECT_EQ(larger(-3, 2), 2);
}

}  // namespace
}  // namespace rota::linear
