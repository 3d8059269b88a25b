// tests/unit/coordinator/best_epoch_test.cc
#include "coordinator/best_epoch.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

using Better = Score::Better;

TEST(BestEpoch, IsOverAfterSoManyEvaluationsWithoutABetterOne) {
  BestEpoch best(2);
  EXPECT_TRUE(best.add(1, 5, Better::smaller)) << "the first is the best whatever it is";
  EXPECT_TRUE(best.add(2, 4, Better::smaller));
  EXPECT_FALSE(best.add(3, 4, Better::smaller)) << "as good is not better";
  EXPECT_FALSE(best.over());
  EXPECT_FALSE(best.add(4, 9, Better::smaller));
  EXPECT_TRUE(best.over());
  EXPECT_EQ(best.best(), (BestSoFar{2, 4, 2}));
}

TEST(BestEpoch, ABetterOneBeginsTheCountAnew) {
  BestEpoch best(2);
  for (const auto& [epoch, valid] : {std::pair(1U, 1.0), std::pair(2U, 0.5), std::pair(3U, 2.0), std::pair(4U, 1.0)})
    best.add(epoch, valid, Better::larger);
  EXPECT_EQ(best.best(), (BestSoFar{3, 2, 1}));
  EXPECT_FALSE(best.over());
}

TEST(BestEpoch, GoesOnFromWhatWasResumed) {
  BestEpoch best(2, BestSoFar{7, 1.5, 1});
  EXPECT_FALSE(best.over());
  EXPECT_FALSE(best.add(9, 1.6, Better::smaller));
  EXPECT_TRUE(best.over());
}

TEST(BestEpoch, WithoutPatienceNothingIsFollowed) {
  BestEpoch best(0, BestSoFar{7, 1.5, 1});
  EXPECT_FALSE(best.add(1, 5, Better::smaller));
  EXPECT_EQ(best.best(), std::nullopt);
  EXPECT_FALSE(best.over());
}

}  // namespace
}  // namespace rota
