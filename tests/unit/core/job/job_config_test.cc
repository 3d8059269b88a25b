#include "core/job/job_config.h"

#include "core/job/job_options.h"
#include "core/job/option_declarations.h"
#include "rota/error.h"

namespace rota {
namespace {

constexpr Needs kNever = {"other apps", never};
constexpr Option kOptions[] = {integer_option("batch", "256", "", 1, 1000, "", kNever),
                               real_option("eta", "1e-9", "", 0, 1, ""),
                               {.name = "start", .needs = kNever}};
constexpr FrameworkNeeds kFramework[] = {{"asynchronous", kNever}};

Plugin plugin() {
  Plugin plugin;
  plugin.name = "played";
  plugin.options = kOptions;
  plugin.sliced = true;
  plugin.framework_needs = kFramework;
  return plugin;
}

JobConfig config(const Plugin& plugin, std::map<std::string, std::string, std::less<>> given) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::span<const Option> table : {job_options(), std::span<const Option>(kOptions)})
    for (const Option& option : table) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) values[name] = value;
  CommandLine line;
  line.options = Options(values);
  line.given = given;
  auto made = job_config(line, false, &plugin);
  EXPECT_TRUE(made.ok()) << made.status().what();
  return *made;
}

using Names = std::vector<std::string>;

Names ignored(const JobConfig& config) {
  Names names;
  for (const IgnoredOption& one : config.ignored) names.push_back(one.option);
  return names;
}

TEST(JobConfig, OnlyOptionsThatWereSetAreIgnored) {
  EXPECT_EQ(ignored(config(plugin(), {})), Names{});
  const JobConfig same = config(plugin(), {{"batch", "256"}, {"eta", "1"}});
  EXPECT_EQ(ignored(same), Names{}) << "the default, and one that counts";
  EXPECT_EQ(same.options.text("eta"), "1");
  const JobConfig some = config(plugin(), {{"batch", "8"}, {"start", "random"}});
  EXPECT_EQ(ignored(some), (Names{"batch", "start"}));
  EXPECT_EQ(some.ignored[0].text(), "--batch changes nothing: it is for other apps");
  EXPECT_EQ(some.options.text("batch"), "256");
  EXPECT_FALSE(some.options.has("start"));
}

TEST(JobConfig, AnIgnoredOptionOfTheFrameworkHasItsDefault) {
  const JobConfig its = config(plugin(), {{"asynchronous", "true"}, {"step_budget_ms", "3"}});
  EXPECT_EQ(ignored(its), Names{"asynchronous"});
  EXPECT_FALSE(its.asynchronous);
  EXPECT_FALSE(its.options.flag("asynchronous"));
  EXPECT_GT(its.step_budget, 0) << "there are slices that it limits";
  Plugin any = plugin();
  any.framework_needs = {};
  EXPECT_EQ(config(any, {{"asynchronous", "true"}, {"step_budget_ms", "3"}}).hash, its.hash)
      << "a resumed run is identified by the options given";
}

TEST(JobConfig, OptionsOfSlicesAreForAppsWithSlices) {
  Plugin without = plugin();
  without.sliced = false;
  const JobConfig its = config(without, {{"step_budget_ms", "3"}, {"slices_per_shard", "4"}});
  EXPECT_EQ(ignored(its), (Names{"slices_per_shard", "step_budget_ms"}));
  EXPECT_EQ(its.step_budget, 0);
  EXPECT_EQ(its.slices, its.shards * 2);
}

TEST(JobConfig, OneCheckpointHasNoInterval) {
  EXPECT_EQ(ignored(config(plugin(), {{"checkpoint_every", "0"}, {"checkpoint_seconds", "9"}})),
            Names{"checkpoint_seconds"});
}

TEST(JobConfig, AConditionMayThrow) {
  constexpr FrameworkNeeds kThrows[] = {{"epochs", {"", [](const Options&) -> bool { throw UsageError("no"); }}}};
  Plugin throwing = plugin();
  throwing.framework_needs = kThrows;
  CommandLine line;
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : job_options()) values[std::string(option.name)] = option.default_value;
  values["epochs"] = "3";
  line.options = Options(values);
  EXPECT_EQ(job_config(line, false, &throwing).status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
