#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

// Killed between the last commit and result.json, a resumed run wrote a result without objective and figures.
TEST(ResumedRun, AResumeAfterTheLastEpochRepeatsItsResult) {
  RunPlan plan = small_plan();
  Script first(plan);
  first.prepare();
  first.train(1, 2.5);
  first.save(1);
  ASSERT_EQ(first.diary->commits.size(), 1U);
  plan.resume = first.diary->commits[0];
  Script run(plan);
  run.prepare();
  ASSERT_EQ(run.diary->results.size(), 1U);
  const EpochRecord& last = run.diary->results[0].record;
  EXPECT_EQ(last.epoch, 1U);
  EXPECT_TRUE(last.evaluated);
  EXPECT_EQ(last.objective, 2.5);
  EXPECT_EQ(last.figures, first.diary->results[0].record.figures);
  EXPECT_EQ(run.diary->results[0].commit.app, "counting");
}

TEST(ResumedRun, AResumedRunContinuesAfterTheCommit) {
  RunPlan plan = small_plan(4);
  plan.resume = commit_of(2);
  plan.resume->files = {{"epoch-00000002/partition-0.era-6.sst", 1, {}}};
  plan.era = 7;
  Script run(plan);
  run.prepare();
  ASSERT_EQ(run.sent<Start>(kScheduler).size(), 1U);
  EXPECT_EQ(run.sent<Start>(kScheduler)[0].epoch, 3U);
  EXPECT_EQ(run.sent<Start>(kScheduler)[0].round, 5U);
  EXPECT_EQ(run.sent<Welcome>(kWorker)[0].resume, 2U);
  EXPECT_EQ(run.sent<Welcome>(kWorker)[0].era, 7U);
  EXPECT_EQ(run.sent<Welcome>(kWorker)[0].files, plan.resume->files);
}

}  // namespace
}  // namespace rota::tests
