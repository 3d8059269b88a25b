#include "apps/mf/settings.h"

#include "apps/mf/als/settings.h"
#include "apps/mf/app.h"
#include "apps/mf/ccd/settings.h"
#include "apps/mf/sgd/settings.h"
#include "tests/unit/apps/ignored_with.h"

namespace rota::tests {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

// The default of each option that is not given.
Options with(const Plugin& plugin, Given given) {
  for (const Option& option : plugin.options)
    given.try_emplace(std::string(option.name), std::string(option.default_value));
  return Options(given);
}
mf::SgdSettings sgd(Given given) {
  return mf::sgd_settings(with(mf::sgd_plugin(), std::move(given)));
}
mf::AlsSettings als(Given given) {
  return mf::als_settings(with(mf::als_plugin(), std::move(given)));
}
mf::CcdSettings ccd(Given given) {
  return mf::ccd_settings(with(mf::ccd_plugin(), std::move(given)));
}

TEST(MfSettings, APenaltyThatIsNotGivenFollowsTheRatings) {
  const auto penalty = [](const mf::Settings& settings, double deviation) {
    return settings.penalty() * mf::penalty_scale(settings, deviation);
  };
  for (const double usual : {0.0625, 1.1, 5.2, 15.9}) EXPECT_EQ(penalty(sgd({}), usual), 0.05);
  EXPECT_EQ(penalty(als({}), 300), 0.05 * 300);
  EXPECT_EQ(penalty(ccd({}), 0.03125), 0.05 / 32);
  EXPECT_EQ(penalty(sgd({{"lambda", "0.05"}}), 300), 0.05);
  EXPECT_EQ(penalty(als({{"implicit", "true"}}), 300), 5);
  EXPECT_EQ(penalty(sgd({{"loss", "bpr"}}), 300), 0.05);
  EXPECT_EQ(penalty(sgd({{"loss", "logistic"}}), 0.001), 0.05);
}

TEST(MfSettings, RatingsFarFromZeroHaveTheirMeanAsABase) {
  EXPECT_EQ(mf::base_of(sgd({}), 3.5, 1), 0);
  EXPECT_EQ(mf::base_of(sgd({{"biases", "true"}}), 3.5, 1), 3.5);
  EXPECT_EQ(mf::base_of(sgd({}), -2000, 3), -2000);
  EXPECT_EQ(mf::base_of(ccd({{"nonnegative", "true"}}), 2000, 3), 1988);
  EXPECT_EQ(mf::base_of(als({{"implicit", "true"}}), 2000, 3), 0);
  EXPECT_EQ(mf::base_of(sgd({{"loss", "logistic"}, {"biases", "true"}}), 0.999, 0.03), 0);
}

TEST(MfSettings, LossesGoWithTheirKindOfRatings) {
  EXPECT_EQ(sgd({}).kind(), mf::RatingKind::ratings);
  EXPECT_EQ(sgd({{"loss", "logistic"}}).kind(), mf::RatingKind::labels);
  EXPECT_TRUE(sgd({{"loss", "bpr"}}).implicit);
  EXPECT_EQ(sgd({{"loss", "bpr"}}).kind(), mf::RatingKind::counts);
  EXPECT_EQ(sgd({{"loss", "bpr"}}).rotates, mf::Rotates::items);
  EXPECT_EQ(als({{"implicit", "true"}}).kind(), mf::RatingKind::counts);
  EXPECT_EQ(mf::name_of(mf::Loss::logistic), "logistic");
}

TEST(MfSettings, DefaultsThatFollowFromOthers) {
  EXPECT_EQ(als({{"rank", "16"}}).cg_steps, 0U);
  EXPECT_EQ(als({{"rank", "17"}}).cg_steps, 3U);
  EXPECT_EQ(als({{"rank", "17"}, {"nonnegative", "true"}}).cg_steps, 0U);
  EXPECT_EQ(als({{"rank", "17"}, {"row_solver", "cholesky"}}).cg_steps, 0U);
  EXPECT_EQ(als({{"rank", "16"}, {"row_solver", "cg"}}).cg_steps, 3U);
  EXPECT_TRUE(ccd({}).by_rating);
  EXPECT_FALSE(ccd({{"schedule", "round_robin"}}).by_rating);
  EXPECT_TRUE(ccd({{"schedule", "round_robin"}, {"lambda_by", "rating"}}).by_rating);
}

TEST(MfSettings, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THROW(sgd({{"loss", "bpr"}, {"rotate", "users"}}), UsageError);
  EXPECT_THROW(als({{"implicit", "true"}, {"biases", "true"}}), UsageError);
  EXPECT_THROW(als({{"row_solver", "cg"}, {"nonnegative", "true"}}), UsageError);
}

TEST(MfSettings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  const auto ignored = [](const Plugin& plugin, Given given, const char* option) {
    return ignored_with(plugin.options, plugin.framework_needs, with(plugin, std::move(given))).contains(option);
  };
  const Plugin sgd = mf::sgd_plugin(), als = mf::als_plugin(), ccd = mf::ccd_plugin();
  EXPECT_TRUE(ignored(sgd, {}, "staleness"));
  EXPECT_FALSE(ignored(sgd, {}, "step_budget_ms"));
  EXPECT_TRUE(ignored(sgd, {{"loss", "bpr"}}, "step_budget_ms"));
  EXPECT_TRUE(ignored(als, {{"row_solver", "cholesky"}}, "cg_steps"));
  EXPECT_FALSE(ignored(als, {{"row_solver", "cg"}}, "cg_steps"));
  EXPECT_TRUE(ignored(als, {}, "alpha"));
  EXPECT_FALSE(ignored(als, {{"implicit", "true"}}, "alpha"));
  EXPECT_FALSE(ignored(ccd, {}, "inner"));
  EXPECT_TRUE(ignored(ccd, {{"schedule", "round_robin"}}, "inner"));
}

}  // namespace
}  // namespace rota::tests
