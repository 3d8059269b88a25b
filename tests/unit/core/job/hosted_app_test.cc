#include "core/job/hosted_app.h"

#include "tests/unit/core/job/empty_app.h"

namespace rota {
namespace {

using tests::EmptyApp;

Plugin plugin_that(std::unique_ptr<App> (*makes)(const Job&)) {
  Plugin plugin;
  plugin.name = "played";
  plugin.app = makes;
  return plugin;
}

TEST(HostedApp, AThrowNamesThePlugin) {
  const auto throws = plugin_that([](const Job&) -> std::unique_ptr<App> { throw UsageError("these do not go"); });
  const Status status = host_app(throws, {}).status();
  EXPECT_EQ(status.code(), ExitCode::usage);
  EXPECT_EQ(status.what(), "these do not go (plugin played, app)");
  const auto nothing = plugin_that([](const Job&) -> std::unique_ptr<App> { return nullptr; });
  EXPECT_EQ(host_app(nothing, {}).status().code(), ExitCode::failed);
}

// Shards times slices grow fast: 65,536 shards have 131,072 slices.
TEST(HostedApp, TooManySlicesForTheMemoryAreRefused) {
  Plugin plugin = plugin_that([](const Job&) -> std::unique_ptr<App> { return std::make_unique<EmptyApp>(); });
  plugin.sliced = true;
  Job job;
  job.options = Options(std::map<std::string, std::string, std::less<>>{{"workers", "4"}});
  job.shards = 65'536;
  job.slices = 2 * job.shards;
  EXPECT_TRUE(host_app(plugin, job).ok()) << "not checked";
  job.memory = 24'000'000'000;
  EXPECT_EQ(host_app(plugin, job).status().code(), ExitCode::usage);
  EXPECT_EQ(
      host_app(plugin, job).status().what(),
      "--shards=65536: what each shard keeps of each of the 131072 slices takes about 34.4 GB of each worker's memory, "
      "and this machine has 24 GB for each of 4: choose less, or --memory=unchecked");
  job.shards = 256;
  job.slices = 512;
  EXPECT_TRUE(host_app(plugin, job).ok());
  job.shards = 65'536;
  job.slices = 2 * job.shards;
  plugin.sliced = false;
  EXPECT_TRUE(host_app(plugin, job).ok());
}

}  // namespace
}  // namespace rota
