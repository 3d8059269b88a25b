// Values computed by hand.
#include "rota/numerics/quality.h"

namespace rota {
namespace {

TEST(PredictionErrors, AreMeansOverTheRows) {
  PredictionErrors all, rest;
  all.add(1, 3);        // 2
  all.add(-1, -1);      // 0
  rest.add(0.5, -0.5);  // 1
  rest.add(4, 1);       // 3
  all += rest;
  EXPECT_EQ(all.rows(), 4U);
  EXPECT_EQ(all.squares(), 14);
  EXPECT_EQ(all.mse(), 3.5);
  EXPECT_EQ(all.rmse(), std::sqrt(3.5));
  EXPECT_EQ(all.mae(), 1.5);
  EXPECT_TRUE(std::isnan(PredictionErrors().mse())) << "without rows there is no mean";
}

TEST(R2Score, IsTheShareOfTheVariance) {
  const double truth[] = {1, 2, 3};  // squares about the mean: 2
  EXPECT_EQ(r2_score(0.5, truth), 0.75);
  EXPECT_EQ(r2_score(4, truth), -1);
  const double constant[] = {2, 2};
  EXPECT_EQ(r2_score(0, constant), 1);
  EXPECT_EQ(r2_score(1, constant), 0);
}

TEST(Accuracy, IsTheShareThatIsRight) {
  Accuracy one, other;
  one.add(true);
  one.add(false);
  other.add(true);
  other.add(true);
  one += other;
  EXPECT_EQ(one.rows(), 4U);
  EXPECT_EQ(one.share(), 0.75);
}

TEST(LogLoss, IsClipped) {
  EXPECT_EQ(log_loss(0.5), std::log(2.0));
  EXPECT_NEAR(log_loss(0), 52 * std::log(2.0), 1e-12);
  EXPECT_EQ(log_loss(0), log_loss(1e-300));
  EXPECT_GT(log_loss(1), 0);
  EXPECT_LT(log_loss(1), 3e-16);
  EXPECT_LT(log_loss(0.25), log_loss(0.24));
}

TEST(LogLoss, OfALinkIsExactFarOut) {
  EXPECT_EQ(log_loss_of_link(0, true), std::log(2.0));
  EXPECT_EQ(log_loss_of_link(-1000, true), 1000);
  EXPECT_EQ(log_loss_of_link(1000, false), 1000);
  EXPECT_NEAR(log_loss_of_link(40, true), std::exp(-40.0), 1e-30) << "where 1 - p has no digits left";
  const double p = 1 / (1 + std::exp(-1.5));
  EXPECT_NEAR(log_loss_of_link(1.5, true), log_loss(p), 1e-15);
  EXPECT_NEAR(log_loss_of_link(1.5, false), log_loss(1 - p), 1e-15);
}

double auc(std::vector<double> scores, std::vector<int> classes) {
  return area_under_curve(scores, [&](std::size_t i) { return classes[i] == 1; });
}

TEST(AreaUnderCurve, IsTheShareOfPairsInOrder) {
  EXPECT_EQ(auc({1, 2, 3, 4}, {0, 0, 1, 1}), 1);
  EXPECT_EQ(auc({4, 3, 2, 1}, {0, 0, 1, 1}), 0);
  EXPECT_EQ(auc({1, 2, 3, 4}, {0, 1, 0, 1}), 0.75);  // (2>1, 4>1, 4>3) of 4 pairs
}

TEST(AreaUnderCurve, CountsTiesHalf) {
  EXPECT_EQ(auc({5, 5, 5}, {0, 1, 1}), 0.5);
  EXPECT_EQ(auc({1, 2, 2, 3}, {0, 1, 0, 1}), 0.875);  // 2>1, 2=2, 3>1, 3>2
  EXPECT_EQ(auc({-0.0, 0.0}, {0, 1}), 0.5);
}

TEST(AreaUnderCurve, IsNoNumberWhereThereIsNone) {
  EXPECT_TRUE(std::isnan(auc({1, 2}, {1, 1})));
  EXPECT_TRUE(std::isnan(auc({1, 2}, {0, 0})));
  EXPECT_TRUE(std::isnan(auc({}, {})));
  EXPECT_TRUE(std::isnan(auc({1, std::nan(""), 2}, {0, 1, 1}))) << "and it ends";
}

}  // namespace
}  // namespace rota
