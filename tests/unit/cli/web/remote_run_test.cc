#include "cli/web/remote_run.h"

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

std::string answer(int epoch) {
  return R"({"app":"lda","phase":"training","missing":"worker-1","flags":{"topics":"20","input":{"hex":"e9"}},)"
         R"("newest":{"epochs":10,"objective":-5,"epoch":)" +
         std::to_string(epoch) + "}}";
}

TEST(RemoteRun, AnswersAreCollected) {
  auto opened = RemoteRun::open("ipc:///nowhere/at/all", "", "there");
  ASSERT_TRUE(opened.ok()) << opened.status().what();
  RemoteRun& run = **opened;
  EXPECT_EQ(run.brief()["state"], "stale");
  EXPECT_FALSE(run.take(answer(1), ""));
  EXPECT_FALSE(run.take(answer(1), ""));
  EXPECT_FALSE(run.take(answer(3), ""));
  EXPECT_EQ(run.brief()["state_text"], "running, phase training; missing: worker-1");
  EXPECT_EQ(run.lines(SeenRun::Kind::metrics), 2U) << "the same epoch counts once";
  const Json whole = Json::parse(run.whole(10));
  EXPECT_EQ(whole["epochs_seen"]["epoch"], Json::parse("[1,3]"));
  EXPECT_EQ(whole["options"], Json::parse(R"({"input":"\\xe9","topics":"20"})"));
  EXPECT_TRUE(run.take(answer(2), "")) << "after a rollback lines are gone";
  EXPECT_EQ(Json::parse(run.whole(10))["epochs_seen"]["epoch"], Json::parse("[1,2]"));
  EXPECT_FALSE(run.take("", "no answer"));
  EXPECT_EQ(run.brief()["state"], "stale");
  EXPECT_EQ(run.brief()["epoch"], 2);
  EXPECT_FALSE(run.take("[]", ""));
  EXPECT_EQ(run.brief()["state"], "stale");
}

TEST(RemoteRun, AWrongAddressIsSaidAtOnce) {
  EXPECT_EQ(RemoteRun::open("http://somewhere", "", "x").status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
