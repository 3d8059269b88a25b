#include "apps/lda/priors/log_likelihood.h"

namespace rota::lda {
namespace {

TEST(LogRisingFactorial, IsTheLogarithmOfARisingFactorial) {
  for (const double a : {0.01, 0.1, 1.0, 69.06}) {
    const LogRisingFactorial rise(a, 2048, 1);
    double sum = 0;  // ln( a (a+1) ... (a+n-1) )
    for (std::uint64_t n = 0; n < 10'000; ++n) {
      ASSERT_NEAR(rise(n), sum, 1e-9 * (1 + std::abs(sum))) << a << " " << n;
      sum += std::log(a + static_cast<double>(n));
    }
  }
}

}  // namespace
}  // namespace rota::lda
