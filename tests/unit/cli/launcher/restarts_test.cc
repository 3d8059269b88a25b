#include "cli/launcher/restarts.h"

namespace rota {
namespace {

TEST(Restarts, WaitLongerEachTimeAndEnd) {
  Restarts restarts;
  Nanoseconds before = 0;
  for (int i = 1; i <= Restarts::kMost; ++i) {
    const auto at = restarts.next("worker-0", 100);
    ASSERT_TRUE(at.has_value());
    EXPECT_GT(*at - 100, before);
    before = *at - 100;
    EXPECT_EQ(restarts.count("worker-0"), i);
  }
  EXPECT_FALSE(restarts.next("worker-0", 100).has_value());
  EXPECT_TRUE(restarts.next("worker-1", 100).has_value()) << "each has its own";
}

TEST(Restarts, ACheckpointForgivesAll) {
  Restarts restarts;
  for (int i = 0; i < Restarts::kMost; ++i) restarts.next("worker-0", 0);
  restarts.progress();
  EXPECT_EQ(restarts.count("worker-0"), 0);
  EXPECT_TRUE(restarts.next("worker-0", 0).has_value());
}

}  // namespace
}  // namespace rota
