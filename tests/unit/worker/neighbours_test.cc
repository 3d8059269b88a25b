// tests/unit/worker/neighbours_test.cc
#include "worker/neighbours.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(Neighbours, AreCountedFromTheWorkersFirstShard) {
  Neighbours near(20);
  EXPECT_TRUE(near.has(20));
  EXPECT_TRUE(near.has(27));
  EXPECT_FALSE(near.has(28));
  near.go_on_with(37);
  EXPECT_FALSE(near.has(27));
  EXPECT_FALSE(near.has(35));
  EXPECT_TRUE(near.has(36));
  EXPECT_TRUE(near.has(43));
}

TEST(Neighbours, AreEightInARow) {
  Neighbours near(20);
  near.go_on_with(30);
  EXPECT_EQ(near.begin(), 28U);
  EXPECT_EQ(near.end(), 36U);
}

TEST(Neighbours, LookAtOthersForEveryEighthVisit) {
  Neighbours near(0);
  EXPECT_TRUE(near.looks_at_others());
  for (int visit = 1; visit <= 20; ++visit) {
    near.go_on_with(3);
    EXPECT_EQ(near.looks_at_others(), visit % 8 == 0) << visit;
  }
  near.go_on_with(9);
  EXPECT_TRUE(near.looks_at_others()) << "they have changed";
}

TEST(Neighbours, GoBeforeVisitsElsewhereButNotFarAhead) {
  EXPECT_TRUE(Neighbours::go_first(5, 9, true));
  EXPECT_TRUE(Neighbours::go_first(9, 5, true));
  EXPECT_TRUE(Neighbours::go_first(4 + Neighbours::kAheadMost, 5, true));
  EXPECT_FALSE(Neighbours::go_first(5 + Neighbours::kAheadMost, 5, true));
}

TEST(Neighbours, DoNotHoldUpWhatIsNoVisit) {
  EXPECT_TRUE(Neighbours::go_first(5, 5, false));
  EXPECT_FALSE(Neighbours::go_first(6, 5, false));
}

}  // namespace
}  // namespace rota
