#include "apps/lda/settings.h"

#include "rota/error.h"
#include "tests/unit/apps/ignored_with.h"

namespace rota::lda {
namespace {

Options with(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : declared_options<Settings>())
    given.emplace(std::string(option.name), std::string(option.default_value));
  return Options(std::move(given));
}

TEST(Settings, Defaults) {
  const Settings settings = settings_of(with({}));
  EXPECT_EQ(settings.topics, 100U);
  EXPECT_FALSE(settings.alpha);
  EXPECT_EQ(settings.priors().alphas, std::vector<double>(100, 0.1));
  EXPECT_EQ(settings.beta, 0.01);
  EXPECT_EQ(settings.start, Start::online);
  EXPECT_EQ(settings.form.format, "auto");
}

TEST(Settings, LearningIsOffUnlessAskedFor) {
  const Settings settings = settings_of(with({}));
  for (Epoch epoch = 0; epoch < 1000; ++epoch) EXPECT_FALSE(settings.learned(epoch).any());
}

TEST(Settings, LessonsFollowTheBurnIn) {
  const Settings settings = settings_of(with({{"learn_alpha", "3"}, {"learn_beta", "1"}, {"burn_in", "6"}}));
  for (const Epoch epoch : {0U, 3U, 6U, 7U, 8U}) EXPECT_FALSE(settings.learned(epoch).alpha) << epoch;
  for (const Epoch epoch : {9U, 12U}) EXPECT_TRUE(settings.learned(epoch).alpha) << epoch;
  EXPECT_FALSE(settings.learned(6).beta);
  EXPECT_TRUE(settings.learned(7).beta);
}

TEST(Settings, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THROW(settings_of(with({{"copies", "2"}, {"learn_beta", "1"}})), UsageError);
  EXPECT_THROW(settings_of(with({{"separator", "ab"}})), UsageError);
}

TEST(Settings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  const auto names = [](std::map<std::string, std::string, std::less<>> given) {
    return tests::ignored_with(declared_options<Settings>(), kSynchronous, with(std::move(given)));
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(names({}), (Names{"asynchronous", "burn_in", "staleness"}));
  for (const char* learns : {"learn_alpha", "learn_beta"})
    EXPECT_EQ(names({{learns, "1"}}), (Names{"asynchronous", "staleness"}));
  EXPECT_TRUE(names({{"init_model", "model"}}).contains("start"));
}

}  // namespace
}  // namespace rota::lda
