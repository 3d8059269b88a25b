#include "core/job/ignored_options.h"

#include "core/job/job_options.h"
#include "rota/error.h"

namespace rota {
namespace {

constexpr Option kOptions[] = {{.name = "batch", .kind = Option::Kind::integer, .default_value = "256"},
                               {.name = "eta", .kind = Option::Kind::real, .default_value = "1e-9"},
                               {.name = "start"}};

Plugin plugin() {
  Plugin plugin;
  plugin.name = "played";
  plugin.options = kOptions;
  plugin.sliced = true;
  plugin.ignored = [](const Options&) {
    return std::vector<Ignored>{{"batch", "why"}, {"start", "why"}, {"asynchronous", "why"}, {"none_such", "why"}};
  };
  return plugin;
}

JobConfig settings(std::map<std::string, std::string, std::less<>> given) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::span<const Option> table : {job_options(), std::span<const Option>(kOptions)})
    for (const Option& option : table) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) values[name] = value;
  CommandLine line;
  line.options = Options(values);
  line.given = given;
  auto made = job_config(line, false);
  EXPECT_TRUE(made.ok()) << made.status().what();
  return *made;
}

std::vector<std::string> dropped(const Plugin& plugin, JobConfig& settings) {
  auto ignored = drop_ignored(plugin, settings);
  EXPECT_TRUE(ignored.ok()) << ignored.status().what();
  std::vector<std::string> names;
  for (const Ignored& one : *ignored) names.push_back(one.option);
  return names;
}

using Names = std::vector<std::string>;

TEST(IgnoredOptions, OnlyThoseThatWereSetAreTold) {
  JobConfig none = settings({});
  EXPECT_EQ(dropped(plugin(), none), Names{});
  JobConfig same = settings({{"batch", "256"}, {"eta", "1"}});
  EXPECT_EQ(dropped(plugin(), same), Names{}) << "the default, and one that is not ignored";
  EXPECT_EQ(same.options.text("eta"), "1");
  JobConfig some = settings({{"batch", "8"}, {"start", "random"}});
  EXPECT_EQ(dropped(plugin(), some), (Names{"batch", "start"}));
  EXPECT_EQ(some.options.text("batch"), "256");
  EXPECT_FALSE(some.options.has("start"));
}

TEST(IgnoredOptions, TheFrameworksOwnAreAsIfTheyWereNotGiven) {
  JobConfig asynchronous = settings({{"asynchronous", "true"}, {"step_budget_ms", "3"}});
  const Hash128 job = asynchronous.hash;
  EXPECT_EQ(dropped(plugin(), asynchronous), Names{"asynchronous"});
  EXPECT_FALSE(asynchronous.asynchronous);
  EXPECT_FALSE(asynchronous.options.flag("asynchronous"));
  EXPECT_GT(asynchronous.step_budget, 0) << "there are slices that it limits";
  EXPECT_EQ(asynchronous.hash, job) << "a resumed run is known by what was given";
}

TEST(IgnoredOptions, WithoutSlicesNothingLimitsThem) {
  Plugin without = plugin();
  without.sliced = false;
  without.ignored = nullptr;
  JobConfig its = settings({{"step_budget_ms", "3"}, {"slices_per_shard", "4"}, {"batch", "8"}});
  EXPECT_EQ(dropped(without, its), (Names{"slices_per_shard", "step_budget_ms"}));
  EXPECT_EQ(its.step_budget, 0);
  EXPECT_EQ(its.slices, its.shards * 2);
}

TEST(IgnoredOptions, WithOneCheckpointNothingSpacesThem) {
  JobConfig its = settings({{"checkpoint_every", "0"}, {"checkpoint_seconds", "9"}});
  EXPECT_EQ(dropped(plugin(), its), Names{"checkpoint_seconds"});
}

TEST(IgnoredOptions, APluginMayThrow) {
  Plugin throwing = plugin();
  throwing.ignored = [](const Options&) -> std::vector<Ignored> { throw UsageError("no"); };
  JobConfig its = settings({});
  EXPECT_EQ(drop_ignored(throwing, its).status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
