// tests/unit/apps/lda/settings_test.cc
#include "apps/lda/settings.h"

#include <gtest/gtest.h>

#include "rota/error.h"

namespace rota::lda {
namespace {

Options with(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : options()) given.emplace(std::string(option.name), std::string(option.default_value));
  return Options(std::move(given));
}

TEST(Settings, Defaults) {
  const Settings settings = settings_of(with({}));
  EXPECT_EQ(settings.topics, 100U);
  EXPECT_EQ(settings.alpha, 0.1);
  EXPECT_EQ(settings.beta, 0.01);
  EXPECT_TRUE(settings.online_start);
  EXPECT_EQ(settings.format, io::CorpusFormat::automatic);
  EXPECT_EQ(settings.top_words, 10U);
}

TEST(Settings, AlphaOfEachTopicOrOfAll) {
  EXPECT_EQ(settings_of(with({{"alpha", "0.5"}})).alpha, 0.5);
  EXPECT_EQ(settings_of(with({{"alpha_sum", "5"}, {"topics", "50"}})).alpha, 0.1);
  EXPECT_NO_THROW(check(with({{"alpha", "0.5"}})));
  EXPECT_THROW(check(with({{"alpha", "0.5"}, {"alpha_sum", "5"}})), UsageError);
}

TEST(Settings, TopicsFitSixteenBits) {
  for (const Option& option : options()) {
    if (option.name != "topics") continue;
    EXPECT_EQ(option.least, 2);
    EXPECT_EQ(option.most, 65535);
  }
}

}  // namespace
}  // namespace rota::lda
