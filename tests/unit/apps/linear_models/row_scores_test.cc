#include "apps/linear_models/row_scores.h"

#include "apps/linear_models/losses.h"
#include "tests/unit/apps/linear_models/plain_sgd.h"

namespace rota::linear {
namespace {

template <typename L>
void expect_slope() {
  for (const double y : {-1.0, 1.0})
    for (double f = -3.3; f < 3.3; f += 0.31) {
      const double h = 1e-6, slope = (L::value(f + h, y) - L::value(f - h, y)) / (2 * h);
      EXPECT_NEAR(L::slope(f, y), slope, 1e-8) << f << " " << y;
    }
}

TEST(LinearLosses, SlopesAreThoseOfTheValues) {
  expect_slope<LogisticLoss>();
  expect_slope<SquaredLoss>();
  expect_slope<HingeLoss>();
  expect_slope<SquaredHingeLoss>();
}

TEST(LinearLosses, TheQuickExponentialIsNear) {
  for (double t = 0; t < 700; t += 0.0137) EXPECT_NEAR(quick_exp_of_minus(t) / std::exp(-t), 1, 1e-11) << t;
  EXPECT_EQ(quick_exp_of_minus(1e300), quick_exp_of_minus(708));
}

TEST(LinearLosses, InterceptsAreThoseOfTheClassesShares) {
  ShardRows data;
  data.targets = {-1, 1, 1, -1, -1};
  data.weights = {1, 2, 1, 1, 1};
  EXPECT_NEAR(intercepts_of(Loss::logistic, 1, data)[0], 0, 1e-15);
  data.weights.clear();
  EXPECT_NEAR(intercepts_of(Loss::logistic, 1, data)[0], std::log(2.5 / 3.5), 1e-15);
  EXPECT_TRUE(intercepts_of(Loss::hinge, 1, data).empty());
  data.targets = {0, 2, 2, 2, 0};
  EXPECT_NEAR(intercepts_of(Loss::softmax, 3, data)[1], std::log(0.5 / 6.5), 1e-15);
  EXPECT_NEAR(intercepts_of(Loss::logistic, 3, data)[2], std::log(3.5 / 3), 1e-15);
}

TEST(LinearLosses, SoftmaxOfLargeLinksIsANumber) {
  std::vector<double> f = {900, -900, 899};
  EXPECT_NEAR(softmax_loss(f, 1), 1800 + std::log1p(std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(f[0] + f[1] + f[2], 1, 1e-15);
  EXPECT_NEAR(f[2] / f[0], std::exp(-1.0), 1e-15);
}

class Scoring : public testing::Test {
 protected:
  void SetUp() override {
    data_.rows.add_entry({0, 1});
    data_.rows.add_entry({2, 0.5F});
    data_.rows.end_row();
    data_.rows.end_row();
    data_.rows.add_entry({1, 3});
    data_.rows.end_row();
  }
  ShardRows data_;
  // By key: the weight of output 0, something else, that of output 1, something else.
  std::vector<double> table_ = {1, 9, -1, 9, 2, 9, 0.5, 9, 4, 9, 0, 9};
};

TEST_F(Scoring, LinksAreTheProducts) {
  const Weights weights{table_, 4, 2};
  EXPECT_EQ(links_of(data_.rows, weights, 2), (std::vector<double>{3, -1, 0, 0, 6, 1.5}));
  EXPECT_EQ(links_of(data_.rows, weights, 1), (std::vector<double>{3, 0, 6}));
}

TEST_F(Scoring, SumsAreThoseOfPlainLoops) {
  const std::vector<double> links = {3, 0, 6};
  data_.targets = {1, -1, -1};
  data_.weights = {2, 1, 0.5};
  const LossSums logistic = score(Loss::logistic, links, 1, data_);
  EXPECT_NEAR(logistic.loss, 2 * std::log1p(std::exp(-3.0)) + std::log(2.0) + 0.5 * std::log1p(std::exp(6.0)), 1e-12);
  EXPECT_EQ(logistic.right, 2) << "0 is the smaller label's";
  EXPECT_EQ(score(Loss::hinge, links, 1, data_).loss, 1 + 0.5 * 7);
  EXPECT_EQ(score(Loss::squared_hinge, links, 1, data_).loss, 1 + 0.5 * 49);
  EXPECT_EQ(score(Loss::squared, links, 1, data_).loss, 2 * 2 + 0.5 + 0.5 * 49 / 2);
}

TEST_F(Scoring, SoftmaxTakesTheFirstOfEqualOutputs) {
  data_.targets = {0, 1, 0};
  const LossSums sums = score(Loss::softmax, std::vector<double>{3, -1, 0, 0, 6, 1.5}, 2, data_);
  EXPECT_EQ(sums.right, 2);
  EXPECT_NEAR(sums.loss, std::log1p(std::exp(-4.0)) + std::log(2.0) + std::log1p(std::exp(-4.5)), 1e-12);
}

}  // namespace
}  // namespace rota::linear
