#include "cli/commands/commands.h"
#include "rota/error.h"

namespace rota {
namespace {

Plugin plugin(ChosenShards (*choose)(const Job&)) {
  Plugin plugin;
  plugin.name = "counting";
  plugin.choose_shards = choose;
  return plugin;
}

TEST(ShardChoice, IsThePlugins) {
  Job job;
  job.input = {"a", "b", "c"};
  const auto chosen = choose_shards(plugin([](const Job& of) {
                                      return ChosenShards{static_cast<std::uint32_t>(5 * of.input.size()), "3 files"};
                                    }),
                                    job, ProgressForm::none);
  ASSERT_TRUE(chosen.ok()) << chosen.status().what();
  EXPECT_EQ(chosen->shards, 15U);
  EXPECT_EQ(chosen->from, "3 files");
}

TEST(ShardChoice, IsTheUsualNumberWhereThePluginHasNoRule) {
  const auto chosen = choose_shards(plugin(nullptr), {}, ProgressForm::none);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->shards, kUsualShards);
  EXPECT_EQ(chosen->from, "");
}

TEST(ShardChoice, OfDataThatCannotBeReadIsTheErrorOfReadingIt) {
  const auto chosen =
      choose_shards(plugin([](const Job&) -> ChosenShards { throw DataError("words.txt", 3, "not a number"); }), {},
                    ProgressForm::none);
  EXPECT_EQ(chosen.status().code(), ExitCode::bad_data);
  EXPECT_TRUE(chosen.status().what().starts_with("words.txt:3: not a number")) << chosen.status().what();
}

TEST(ShardChoice, OfNoneOrTooManyIsThePluginsBug) {
  EXPECT_EQ(choose_shards(plugin([](const Job&) {
                            return ChosenShards{0, ""};
                          }),
                          {}, ProgressForm::none)
                .status()
                .code(),
            ExitCode::bug);
  EXPECT_EQ(choose_shards(plugin([](const Job&) {
                            return ChosenShards{65'537, ""};
                          }),
                          {}, ProgressForm::none)
                .status()
                .what(),
            "plugin counting: choose_shards chose 65537, and a job has 1 to 65536");
}

}  // namespace
}  // namespace rota
