#include "core/base/rate_limit.h"

namespace rota {
namespace {

int allowed(RateLimit& limit, int asked, Nanoseconds now) {
  int count = 0;
  for (int i = 0; i < asked; ++i) count += limit.allows(now) ? 1 : 0;
  return count;
}

TEST(RateLimit, ALimitedBurstThenOnePerInterval) {
  RateLimit limit(3, 10);
  EXPECT_EQ(allowed(limit, 100, 1000), 3);
  EXPECT_EQ(allowed(limit, 100, 1009), 0);
  EXPECT_EQ(allowed(limit, 100, 1010), 1);
  EXPECT_EQ(allowed(limit, 100, 1035), 2);
  EXPECT_EQ(allowed(limit, 100, 1040), 1) << "half an interval is not lost";
  EXPECT_EQ(allowed(limit, 100, 9000), 3) << "the burst is limited as at first";
}

TEST(RateLimit, CountsTheLinesHeldBack) {
  RateLimit limit(2, 10);
  allowed(limit, 7, 5);
  EXPECT_EQ(limit.take_held_back(), 5U);
  EXPECT_EQ(limit.take_held_back(), 0U);
}

}  // namespace
}  // namespace rota
