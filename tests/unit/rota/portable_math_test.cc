#include "rota/numerics/portable_math.h"

namespace rota::tests {
namespace {

TEST(PortableMath, IsTheCLibrarysWithinAFewUlps) {
  for (double x = -60; x <= 60; x += 0.0078125 * 3.1) {
    const double e = std::exp(-std::abs(x));
    EXPECT_NEAR(exponential(-std::abs(x)), e, 1e-15 * e) << x;
    EXPECT_NEAR(sigmoid(x), 1 / (1 + std::exp(-x)), 1e-15) << x;
    const double loss = std::log1p(e) + (x < 0 ? -x : 0);
    EXPECT_NEAR(log_loss_of(x), loss, 1e-15 * (1 + loss)) << x;
  }
  for (double x = 1e-300; x < 1e300; x *= 1.7) EXPECT_NEAR(logarithm(x), std::log(x), 3e-16 * std::abs(std::log(x)));
  for (double x = 0.5; x < 2; x += 0.001) EXPECT_NEAR(logarithm(x), std::log(x), 2e-16) << x;
}

TEST(PortableMath, EndsAreNumbers) {
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-1e9), 0);
  EXPECT_EQ(sigmoid(1e300), 1);
  EXPECT_EQ(sigmoid(-1e300), 0);
  EXPECT_EQ(log_loss_of(-1e4), 1e4);
  EXPECT_EQ(logarithm(1), 0);
}

}  // namespace
}  // namespace rota::tests
