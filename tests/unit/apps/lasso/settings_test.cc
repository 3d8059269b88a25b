#include "apps/lasso/app.h"
#include "rota/error.h"
#include "tests/unit/apps/ignored_with.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lasso {
namespace {

const Plugin kColumns = columns_plugin(), kRows = rows_plugin();

Options with(const Plugin& plugin, std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : plugin.options)
    given.emplace(std::string(option.name), std::string(option.default_value));
  return Options(std::move(given));
}

std::set<std::string> ignored_with(std::map<std::string, std::string, std::less<>> given) {
  return tests::ignored_with(kRows.options, kRows.framework_needs, with(kRows, std::move(given)));
}

std::string refusal(const Plugin& plugin, std::map<std::string, std::string, std::less<>> given) {
  return tests::message_of<UsageError>([&] { plugin.check(with(plugin, std::move(given))); });
}

using Names = std::set<std::string>;

TEST(Settings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  EXPECT_EQ(ignored_with({}), (Names{"asynchronous"}));
  EXPECT_EQ(ignored_with({{"conflicts", "ignore"}}), (Names{"asynchronous", "correlation"}));
  for (const char* order : {"round_robin", "random"})
    EXPECT_EQ(ignored_with({{"order", order}}), (Names{"asynchronous", "correlation", "eta", "uniform_share"}))
        << order;
}

TEST(Settings, OptionsThatExcludeEachOtherAreRefused) {
  for (const Plugin* plugin : {&kColumns, &kRows}) {
    EXPECT_EQ(refusal(*plugin, {{"lambda", "1"}, {"lambda_ratio", "0.1"}}),
              "--lambda and --lambda_ratio exclude each other");
    EXPECT_EQ(refusal(*plugin, {{"target", "y"}, {"response", "f"}}), "--target and --response exclude each other");
    EXPECT_NO_THROW(plugin->check(with(*plugin, {})));
  }
}

TEST(Settings, RowsAreAnAppOfTheirOwn) {
  const std::string use = " is for an app of its own: use `rota train lasso_rows`";
  EXPECT_EQ(refusal(kColumns, {{"partition", "rows"}}), "--partition=rows" + use);
  EXPECT_EQ(refusal(kColumns, {{"partition", "rows"}, {"order", "priority"}}), "--order=priority" + use);
  EXPECT_NO_THROW(kColumns.check(with(kColumns, {{"partition", "columns"}, {"order", "working_set"}})));
}

}  // namespace
}  // namespace rota::lasso
