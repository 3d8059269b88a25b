#include "core/job/option_declarations.h"
#include "rota/testing/serial_host.h"

namespace rota {
namespace {

constexpr Option kOptions[] = {integer_option("rank", "8", "factors", 1, 100, "How many."),
                               {.name = "names", .kind = Option::Kind::path, .meaning = "A file."}};

Plugin plugin() {
  Plugin plugin;
  plugin.name = "probe";
  plugin.options = kOptions;
  plugin.sliced = true;
  return plugin;
}

TEST(SerialJob, IsThatOfRotaTrain) {
  const Job job = serial_job(plugin(), {{"shards", "3"}, {"slices_per_shard", "4"}, {"staleness", "2"}, {"names", "n"}},
                             {"/a/b.txt", "c.txt"}, {"/v"});
  EXPECT_EQ(job.shards, 3U);
  EXPECT_EQ(job.slices, 12U);
  EXPECT_EQ(job.staleness, 2U);
  EXPECT_EQ(job.seed, 1U);
  EXPECT_EQ(job.options.integer("rank"), 8);
  EXPECT_EQ(job.options.text("app"), "probe");
  EXPECT_EQ(job.options.integer("partitions"), 2) << "the framework's defaults";
  EXPECT_EQ(job.options.text("names").front(), '/') << "a path is absolute";
  EXPECT_EQ(job.input[0], "/a/b.txt");
  EXPECT_TRUE(job.input[1].starts_with('/') && job.input[1].ends_with("/c.txt"));
  EXPECT_EQ(job.valid, std::vector<std::string>{"/v"});
  const Job plain = serial_job(plugin(), {}, {});
  EXPECT_EQ(plain.shards, 8U);
  EXPECT_EQ(plain.slices, 16U);
}

TEST(SerialJob, NamesOfDataInMemoryStay) {
  const Job job = serial_job(plugin(), {{"names", "memory:3"}}, {"memory:1", "c.txt"}, {"memory:2"});
  EXPECT_EQ(job.options.text("names"), "memory:3");
  EXPECT_EQ(job.input[0], "memory:1");
  EXPECT_EQ(job.input[1].front(), '/');
  EXPECT_EQ(job.valid[0], "memory:2");
}

TEST(SerialJob, RefusesWhatRotaTrainRefuses) {
  EXPECT_THROW(serial_job(plugin(), {{"rnak", "3"}}, {}), UsageError);
  EXPECT_THROW(serial_job(plugin(), {{"rank", "0"}}, {}), UsageError);
  EXPECT_THROW(serial_job(plugin(), {{"shards", "many"}}, {}), UsageError);
  EXPECT_THROW(serial_job(plugin(), {{"schedulers", "2"}}, {}), UsageError);
  Plugin several = plugin();
  several.several_schedulers = true;
  EXPECT_EQ(serial_job(several, {{"schedulers", "2"}}, {}).schedulers, 2U);
}

TEST(SerialJob, TakesIgnoredOptionsAsNotGiven) {
  Plugin ignores = plugin();
  constexpr FrameworkNeeds kNeeds[] = {{"staleness", {"others", never}}};
  ignores.framework_needs = kNeeds;
  const Job job = serial_job(ignores, {{"staleness", "3"}, {"pipeline", "5"}}, {});
  EXPECT_EQ(job.staleness, 0U);
  EXPECT_EQ(job.pipeline, 5U);
}

}  // namespace
}  // namespace rota
