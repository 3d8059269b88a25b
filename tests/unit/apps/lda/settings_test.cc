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
  EXPECT_EQ(settings.alpha, 0.1);
  EXPECT_EQ(settings.beta, 0.01);
  EXPECT_TRUE(settings.online_start);
  EXPECT_EQ(settings.form.format, "auto");
  EXPECT_EQ(settings.top_words, 10U);
}

TEST(Settings, AlphaOfEachTopicOrOfAll) {
  EXPECT_EQ(settings_of(with({{"alpha", "0.5"}})).alpha, 0.5);
  EXPECT_EQ(settings_of(with({{"alpha_sum", "5"}, {"topics", "50"}})).alpha, 0.1);
  EXPECT_NO_THROW(settings_of(with({{"alpha", "0.5"}})));
  EXPECT_THROW(settings_of(with({{"alpha", "0.5"}, {"alpha_sum", "5"}})), UsageError);
  // The model of such a job could not be read.
  EXPECT_THROW(settings_of(with({{"alpha_sum", "1e-8"}, {"topics", "100"}})), UsageError);
  EXPECT_NO_THROW(settings_of(with({{"alpha_sum", "1e-6"}, {"topics", "100"}})));
}

TEST(Settings, LearningIsOffUnlessAskedFor) {
  const Settings settings = settings_of(with({}));
  for (Epoch epoch = 0; epoch < 1000; ++epoch)
    EXPECT_FALSE(settings.learns_alpha(epoch) || settings.learns_beta(epoch) || settings.scores(epoch));
}

TEST(Settings, LessonsFollowTheBurnIn) {
  const Settings settings = settings_of(with({{"learn_alpha", "3"}, {"learn_beta", "1"}, {"burn_in", "6"}}));
  for (const Epoch epoch : {0U, 3U, 6U, 7U, 8U}) EXPECT_FALSE(settings.learns_alpha(epoch)) << epoch;
  for (const Epoch epoch : {9U, 12U}) EXPECT_TRUE(settings.learns_alpha(epoch)) << epoch;
  EXPECT_FALSE(settings.learns_beta(6));
  EXPECT_TRUE(settings.learns_beta(7));
}

TEST(Settings, ScoresNeedHeldOutDocuments) {
  const Settings settings = settings_of(with({{"valid", "file"}, {"valid_every", "2"}}));
  for (const Epoch epoch : {0U, 1U, 3U}) EXPECT_FALSE(settings.scores(epoch)) << epoch;
  EXPECT_TRUE(settings.scores(2));
}

TEST(Settings, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THROW(settings_of(with({{"symmetric_alpha", "true"}})), UsageError);
  EXPECT_THROW(settings_of(with({{"separator", "ab"}})), UsageError);
}

TEST(Settings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  const auto names = [](std::map<std::string, std::string, std::less<>> given) {
    return tests::ignored_with(declared_options<Settings>(), kSynchronous, with(std::move(given)));
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(names({}), (Names{"asynchronous", "burn_in", "staleness", "valid_every"}));
  EXPECT_EQ(names({{"valid", "held-out"}}), (Names{"asynchronous", "burn_in", "staleness"}));
  for (const char* learns : {"learn_alpha", "learn_beta"})
    EXPECT_EQ(names({{learns, "1"}}), (Names{"asynchronous", "staleness", "valid_every"}));
  EXPECT_EQ(names({{"learn_alpha", "1"}, {"valid", "held-out"}}), (Names{"asynchronous", "staleness"}));
  EXPECT_TRUE(names({{"init_model", "model"}}).contains("start"));
}

}  // namespace
}  // namespace rota::lda
