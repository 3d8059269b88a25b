#include "apps/lda/priors/digamma.h"

namespace rota::lda {
namespace {

TEST(Digamma, TheLogarithmIsThatOfTheLibrary) {
  for (double x = 1e-12; x < 1e12; x *= 1.0137) {
    const double expected = std::log(x);
    EXPECT_NEAR(exact_log(x), expected, 4e-16 * std::max(1.0, std::abs(expected))) << x;
  }
  EXPECT_EQ(exact_log(1), 0);
}

TEST(Digamma, TheRiseIsTheSumOfReciprocals) {
  for (const double x : {1e-9, 1e-3, 0.1, 1.0, 15.9, 100.0, 690.6}) {
    long double sum = 0;
    std::uint64_t added = 0;
    EXPECT_EQ(digamma_rise(x, 0), 0);
    for (const std::uint64_t n : {1U, 2U, 24U, 25U, 100U, 1'000'000U}) {
      for (; added < n; ++added) sum += 1 / (static_cast<long double>(x) + static_cast<long double>(added));
      EXPECT_NEAR(digamma_rise(x, n), static_cast<double>(sum), 1e-14 * static_cast<double>(sum)) << x << " " << n;
    }
  }
}

}  // namespace
}  // namespace rota::lda
