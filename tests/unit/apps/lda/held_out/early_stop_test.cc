// tests/unit/apps/lda/held_out/early_stop_test.cc
#include "apps/lda/held_out/early_stop.h"

#include <gtest/gtest.h>

#include <limits>

namespace rota::lda {
namespace {

TEST(EarlyStop, EndsAfterSoManyScoresWithoutABetterOne) {
  EarlyStop stop(2);
  EXPECT_TRUE(stop.add({-30, 10}));
  EXPECT_TRUE(stop.add({-20, 10}));
  EXPECT_FALSE(stop.add({-20, 10})) << "as good is not better";
  EXPECT_FALSE(stop.over());
  EXPECT_FALSE(stop.add({-25, 10}));
  EXPECT_TRUE(stop.over());
  EXPECT_EQ(stop.best(), -2);
  EXPECT_TRUE(stop.add({-10, 10}));
  EXPECT_FALSE(stop.over()) << "a better one begins the count anew";
}

TEST(EarlyStop, WithoutPatienceThereIsNoEnd) {
  EarlyStop stop(0);
  for (int i = 0; i < 100; ++i) stop.add({-30.0 - i, 10});
  EXPECT_FALSE(stop.over());
  EXPECT_EQ(stop.since_best(), 99U);
}

TEST(EarlyStop, TheFirstScoreIsTheBestWhateverItIs) {
  EarlyStop stop(1);
  EXPECT_TRUE(stop.add({0, 0})) << "no hidden tokens: 0";
  EXPECT_EQ(stop.best(), 0);
}

TEST(EarlyStop, GoesOnBehindASave) {
  EarlyStop stop(3);
  for (const double score : {-50.0, -40.0, -45.0, -46.0}) stop.add({score, 10});
  Writer out;
  stop.save(out);
  EarlyStop again(3);
  Reader in(out.view());
  again.restore(in);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(again.best(), stop.best());
  EXPECT_EQ(again.scores(), 4U);
  again.add({-47, 10});
  EXPECT_TRUE(again.over());
}

// A score is a mean logarithm of probabilities: above 0, or none at all, is no state that was ever saved.
TEST(EarlyStop, AStateThatCannotBeIsRefused) {
  for (const double best : {0.5, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Writer out;
    out.put_varint(2);
    out.put_varint(1);
    out.put(best);
    Reader in(out.view());
    EarlyStop(1).restore(in);
    EXPECT_FALSE(in.done()) << best;
  }
  Writer out;
  out.put_varint(2);
  out.put_varint(3);  // more scores since the best than scores
  out.put(-1.0);
  Reader in(out.view());
  EarlyStop(1).restore(in);
  EXPECT_FALSE(in.done());
}

}  // namespace
}  // namespace rota::lda
