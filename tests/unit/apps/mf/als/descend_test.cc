#include "apps/mf/als/row_solver.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::tests {
namespace {

// At the minimum the gradient is 0, or x is 0 and would become negative.
TEST(Descend, IsLeastUnderItsBounds) {
  constexpr std::size_t kSize = 6, kWidth = 8, kBounded = 5;
  Random random = random_named({5});
  int at_bound = 0;
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<double> a(kSize * kWidth), y, x(kSize, 0.5);
    for (std::size_t i = 0; i < kSize; ++i) y.push_back(random.uniform() - 0.5);
    for (int row = 0; row < 9; ++row) {
      double q[kSize];
      for (double& one : q) one = random.uniform() - 0.3;
      for (std::size_t i = 0; i < kSize; ++i)
        for (std::size_t j = 0; j < kSize; ++j) a[i * kWidth + j] += q[i] * q[j];
    }
    for (std::size_t i = 0; i < kSize; ++i) a[i * kWidth + i] += 0.1;
    mf::descend(a, kWidth, y, kBounded, x);
    for (std::size_t i = 0; i < kSize; ++i) {
      double gradient = -y[i];
      for (std::size_t j = 0; j < kSize; ++j) gradient += a[i * kWidth + j] * x[j];
      if (i < kBounded && x[i] == 0) {
        EXPECT_GE(gradient, -1e-8);
        ++at_bound;
      } else {
        EXPECT_NEAR(gradient, 0, 1e-8);
        EXPECT_TRUE(i == kBounded || x[i] > 0);
      }
    }
  }
  EXPECT_GT(at_bound, 0);
}

}  // namespace
}  // namespace rota::tests
