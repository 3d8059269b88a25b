#include "apps/sgd/pull.h"

#include "rota/bytes.h"

namespace rota::sgd {
namespace {

// One row through a pull.
std::vector<double> pulled(const Settings& settings, Key key, std::vector<double> value,
                           const std::vector<double>& sum) {
  const PullEntry entry{key, sum, value};
  Writer reply;
  SgdPull pull(settings, settings.steps(1, 1), 1);
  pull.pull({.round = 1,
             .table = 0,
             .entries = std::span<const PullEntry>(&entry, 1),
             .blocks = {},
             .argument = Argument(RoundOfSteps{.rows = 100, .before = 100}),
             .notes = {},
             .reply = reply});
  return value;
}

TEST(SgdPull, TakesTheMeanOfTheShardsThatHaveTheFeature) {
  Settings settings;
  settings.state_width = 2;
  EXPECT_EQ(pulled(settings, 3, {1, 10, 2, 20}, {0.5, 4, -2, 8, 2}), (std::vector<double>{1.25, 12, 1, 24}));
  settings.optimizer = Optimizer::sgd;
  settings.state_width = 1;
  EXPECT_EQ(pulled(settings, 3, std::vector<double>(1), {3, 4}), std::vector<double>{0.75});
}

TEST(SgdPull, AWeightThatAllShardsMadeZeroIsZero) {
  const double w = 0.1;
  Settings settings;
  settings.state_width = 2;
  EXPECT_EQ(pulled(settings, 3, {w, 1}, {-w - w - w, 0, 3})[0], 0);
  EXPECT_NE(pulled(settings, 3, {w, 1}, {-w - w - w + 1e-9, 0, 3})[0], 0);
}

TEST(SgdPull, RecomputesWeightsOfFtrl) {
  Settings settings;
  settings.optimizer = Optimizer::ftrl;
  settings.state_width = 3;
  settings.l1 = 0.01;
  settings.l2 = 0.1;
  settings.rate = 0.5;
  // Two shards, the scale of whose steps is 0.25; z becomes 6, n 16, and 200 rows bear the penalties.
  EXPECT_NEAR(pulled(settings, 3, {7, 4, 10}, {0.5, 4, 12, 2})[0], -(6 - 2) / ((1 / 0.25 + 4) / 0.125 + 20), 1e-15);
  EXPECT_NEAR(pulled(settings, linear::kIntercept, {7, 4, 10}, {0.5, 4, 12, 2})[0], -6 / ((1 / 0.25 + 4) / 0.125),
              1e-15);
  settings.l1 = 1;
  EXPECT_EQ(pulled(settings, 3, {7, 4, 10}, {0.5, 4, 12, 2})[0], 0);
}

TEST(SgdPull, ThePenaltyLeavesTheInterceptOut) {
  Settings settings;
  settings.l1 = 0.5;
  settings.l2 = 0.25;
  settings.state_width = 2;
  const SgdPull pull(settings, settings.steps(1, 1), 2);
  const std::vector<Term> declared = {{"penalty"}};
  double penalty = 0;
  const Terms terms(declared, {&penalty, 1});
  const std::vector<double> value = {-2, 9, 1, 9};
  pull.evaluate(0, linear::kIntercept, value, terms);
  EXPECT_EQ(penalty, 0);
  pull.evaluate(0, 1, value, terms);
  EXPECT_EQ(penalty, 0.5 * 3 + 0.125 * 5);
}

}  // namespace
}  // namespace rota::sgd
