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

}  // namespace
}  // namespace rota
