#include "rota/numerics/power_law.h"

namespace rota {
namespace {

double plain_density(std::uint64_t keys, double alpha, double lambda) {
  double sum = 0;
  for (std::uint64_t r = 1; r <= keys; ++r) sum += 1 - std::exp(-lambda * std::pow(static_cast<double>(r), -alpha));
  return sum / static_cast<double>(keys);
}

TEST(PowerLaw, FollowsItsDensity) {
  for (const double alpha : {0.5, 1.0, 2.0})
    for (const double density : {0.001, 0.1, 0.9}) {
      const PowerLaw law(100000, alpha, density);
      EXPECT_NEAR(law.density(1), density, 1e-9);
      double before = density;
      for (double shards = 2; shards <= 64; shards *= 2) {
        const double now = law.density(shards);
        EXPECT_GE(now, before);
        EXPECT_LT(now, std::min(1.0, density * shards) + 1e-12);
        before = now;
      }
    }
}

TEST(PowerLaw, RanksAtOnceAreAsGoodAsOneByOne) {
  for (const double lambda : {1.0, 30.0, 1000.0}) {
    const double exact = plain_density(50000, 1.1, lambda);
    EXPECT_NEAR(PowerLaw(50000, 1.1, exact).density(1), exact, 1e-9);
    EXPECT_NEAR(PowerLaw(50000, 1.1, exact).density(8), plain_density(50000, 1.1, 8 * lambda), 2e-3 * exact);
  }
}

TEST(PlannedDegrees, MultiplyToTheShards) {
  const PowerLaw law(1000000, 1, 0.1);
  for (std::uint32_t shards = 1; shards <= 64; ++shards)
    for (const double least : {1.0, 1e4, 1e5, 1e9}) {
      const auto degrees = planned_degrees(shards, 1000000, law, 8, least);
      EXPECT_EQ(std::accumulate(degrees.begin(), degrees.end(), 1U, std::multiplies<>()), shards);
    }
}

// One layer where messages stay long; two to a group where they cannot; in between the first layer is the widest.
TEST(PlannedDegrees, FallWhereDataShrinks) {
  const PowerLaw law(1000000, 1, 0.1);
  EXPECT_EQ(planned_degrees(64, 1000000, law, 8, 1), (std::vector<std::uint32_t>{64}));
  EXPECT_EQ(planned_degrees(8, 1000000, law, 8, 1e9), (std::vector<std::uint32_t>{2, 2, 2}));
  const auto degrees = planned_degrees(64, 1000000, law, 8, 5e4);
  EXPECT_GT(degrees.size(), 1U);
  EXPECT_TRUE(std::is_sorted(degrees.rbegin(), degrees.rend()));
  EXPECT_EQ(degrees[0], 16U);  // 0.8 MB in 16 messages of 50 KB
}

}  // namespace
}  // namespace rota
