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
  EXPECT_EQ(allowed(limit, 100, 1040), 1) << "half a span was not lost";
  EXPECT_EQ(allowed(limit, 100, 9000), 3) << "no more than at first";
}

TEST(RateLimit, CountsTheLinesHeldBack) {
  RateLimit limit(2, 10);
  allowed(limit, 7, 5);
  EXPECT_EQ(limit.take_held_back(), 5U);
  EXPECT_EQ(limit.take_held_back(), 0U);
}

TEST(RateLimit, AFloodOfAnyLengthIsBounded) {
  RateLimit limit(10, 10 * kSecond);
  int lines = 0;
  for (Nanoseconds now = 0; now < 100 * kSecond; now += kSecond / 1000) lines += limit.allows(now) ? 1 : 0;
  EXPECT_EQ(lines, 10 + 9);
}

}  // namespace
}  // namespace rota
