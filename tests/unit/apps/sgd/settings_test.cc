#include "apps/sgd/settings.h"

#include "tests/unit/apps/linear_models/options_with.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::sgd {
namespace {

using tests::Given;

Settings settings(const Given& given) {
  return settings_of(tests::options_with<Settings>(given));
}

TEST(SgdSettings, DefaultsDependOnTheOptimizer) {
  EXPECT_EQ(settings({}).optimizer, Optimizer::adagrad);
  EXPECT_LT(settings({}).rate, settings({{"optimizer", "sgd"}}).rate);
  EXPECT_EQ(settings({{"optimizer", "sgd"}, {"learning_rate", "0.5"}}).rate, 0.5);
  EXPECT_EQ(settings({{"loss", "softmax"}}).loss, Loss::softmax);
  EXPECT_FALSE(settings({}).held_out);
  EXPECT_TRUE(settings({{"valid", "file"}}).held_out);
}

TEST(SgdSettings, WhatDoesNotGoTogetherIsRefused) {
  for (const Given& wrong : {Given{{"loss", "squared"}, {"class_weights", "balanced"}},
                             Given{{"loss", "softmax"}, {"one_against_rest", "true"}},
                             Given{{"optimizer", "ftrl"}, {"exchange", "butterfly"}}, Given{{"optimizer", "other"}},
                             Given{{"stream", "true"}, {"class_weights", "balanced"}}})
    EXPECT_THROW(settings(wrong), UsageError);
  EXPECT_NO_THROW(settings({{"loss", "hinge"}, {"class_weights", "balanced"}}));
}

TEST(SgdSettings, TheSolversOfLinearAreNamed) {
  EXPECT_EQ(tests::message_of<UsageError>([] {
              settings({{"optimizer", "svm"}});
            }),
            "--optimizer=svm is a solver of another app: use `rota train linear --solver=svm`");
}

}  // namespace
}  // namespace rota::sgd
