#include "apps/lasso/settings.h"

#include "rota/error.h"
#include "tests/unit/apps/ignored_with.h"

namespace rota::lasso {
namespace {

Options with(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : declared_options<Settings>())
    given.emplace(std::string(option.name), std::string(option.default_value));
  given.emplace("schedulers", "1");
  return Options(std::move(given));
}

std::set<std::string> ignored_with(std::map<std::string, std::string, std::less<>> given) {
  return tests::ignored_with(declared_options<Settings>(), kFrameworkNeeds, with(std::move(given)));
}

using Names = std::set<std::string>;

TEST(Settings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  EXPECT_EQ(ignored_with({}),
            (Names{"asynchronous", "conflicts", "coordinates", "correlation", "eta", "staleness", "uniform_share"}));
  EXPECT_EQ(ignored_with({{"order", "working_set"}}), ignored_with({}));
  EXPECT_EQ(ignored_with({{"partition", "rows"}}), Names{});
  EXPECT_EQ(ignored_with({{"order", "priority"}}), Names{});
  EXPECT_EQ(ignored_with({{"order", "priority"}, {"conflicts", "ignore"}}), Names{"correlation"});
  for (const char* order : {"round_robin", "random"})
    EXPECT_EQ(ignored_with({{"order", order}}), (Names{"correlation", "eta", "uniform_share"})) << order;
}

TEST(Settings, OptionsThatExcludeEachOtherAreRefused) {
  EXPECT_THROW(check(with({{"lambda", "1"}, {"lambda_ratio", "0.1"}})), UsageError);
  EXPECT_THROW(check(with({{"partition", "columns"}, {"order", "priority"}})), UsageError);
  EXPECT_NO_THROW(check(with({})));
}

}  // namespace
}  // namespace rota::lasso
