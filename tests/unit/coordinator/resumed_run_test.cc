// tests/unit/coordinator/resumed_run_test.cc -- runs that continue behind a commit, and the data that they continue
// with.
#include <gtest/gtest.h>

#include "tests/unit/coordinator/run_script.h"

namespace rota {
namespace {

using tests::kScheduler;
using tests::kWorker;
using tests::Script;
using tests::small_plan;

// The only check was the number of items.
TEST(ResumedRun, AResumedRunWithOtherDataIsBadData) {
  RunPlan plan = small_plan();
  plan.epochs = 2;
  plan.resume = CommitRecord{};
  plan.resume->app = "counting";
  plan.resume->epoch = 1;
  plan.resume->items = 10;
  plan.resume->input = {1, 2};
  plan.resume->valid = {3, 4};
  const auto ending = [&](const Hash128& input, const Hash128& valid) {
    Script run(plan);
    run.contents = {input, valid};
    run.prepare();
    return run.ended ? run.ended->what : "";
  };
  EXPECT_EQ(ending({1, 2}, {3, 4}), "");
  EXPECT_EQ(ending({1, 9}, {3, 4}), "the input has another content than what the checkpoint was made with");
  EXPECT_EQ(ending({1, 2}, {9, 4}),
            "the held-out data (--valid) has another content than what the checkpoint was made with");
}

TEST(ResumedRun, WorkersThatReadOtherDataAreTold) {
  RunPlan plan = small_plan();
  plan.workers = 2;
  Script run(plan);
  run.hear(kScheduler, run.hello(kScheduler));
  for (const NodeId worker : {kWorker, NodeId{Role::worker, 1}}) run.hear(worker, run.hello(worker));
  Loaded loaded;
  loaded.items = {4};  // of one shard each
  run.hear(kWorker, loaded);
  loaded.input = {1, 1};
  run.hear({Role::worker, 1}, loaded);
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.ended->code, ExitCode::bad_data);
  EXPECT_EQ(run.ended->what, "the input that worker-1 reads has another content than that of worker-0");
}

// Killed between the last commit and result.json, a resumed run wrote a result without objective and figures.
TEST(ResumedRun, ARunThatIsResumedBehindItsLastEpochTellsOfItAsItWas) {
  RunPlan plan = small_plan();
  Script first(plan);
  first.prepare();
  first.schedule();
  first.end_epoch(1);
  first.evaluate(1, 2.5);
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

TEST(ResumedRun, AResumedRunGoesOnBehindTheCommit) {
  RunPlan plan = small_plan();
  plan.epochs = 4;
  plan.resume = CommitRecord{};
  plan.resume->app = "counting";
  plan.resume->epoch = 2;
  plan.resume->next_round = 5;
  plan.resume->items = 10;
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

  plan.resume->items = 11;
  Script other(plan);
  other.prepare();
  ASSERT_TRUE(other.ended.has_value());
  EXPECT_EQ(other.ended->code, ExitCode::bad_data);
  EXPECT_EQ(other.ended->what, "the input has 10 tokens now; the checkpoint was made with 11");
}

}  // namespace
}  // namespace rota
