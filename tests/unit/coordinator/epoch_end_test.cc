#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

const std::vector<Score> kScores = {{.name = "error", .term = "errors", .scale = Score::Scale::sum, .held_out = true}};

RunPlan patient(std::uint32_t patience, Epoch epochs = 9) {
  RunPlan plan = small_plan(epochs);
  plan.patience = patience;
  plan.checkpoint_every = 0;
  return plan;
}

void prepare(Script& run) {
  run.prepare({{"errors"}}, {}, kScores);
}

void train(Script& run, Epoch epoch, double error) {
  run.schedule(2 * epoch - 1, epoch);
  run.end_epoch(epoch);
  run.evaluate(epoch, error);
}

TEST(Patience, EndsTheJobWithTheModelOfTheBestEpoch) {
  Script run(patient(2));
  prepare(run);
  train(run, 1, 5);
  run.save(1);
  train(run, 2, 3);
  run.save(2);
  train(run, 3, 4);
  EXPECT_FALSE(run.ended.has_value());
  EXPECT_EQ(run.sent<Save>(kWorker).size(), 2U) << "only a best epoch is saved";
  train(run, 4, 3);
  ASSERT_TRUE(run.ended_with(ExitCode::ok)) << "there is nothing more to save";
  ASSERT_EQ(run.diary->results.size(), 1U);
  const RunResult& result = run.diary->results[0];
  EXPECT_EQ(result.commit.epoch, 2U);
  EXPECT_EQ(result.record.valid, 3);
  EXPECT_EQ(result.epochs, 4U);
  EXPECT_TRUE(run.diary->has("early_stop epoch=4 best_epoch=2"));
  EXPECT_EQ(run.diary->epochs.back().best, (BestSoFar{2, 3, 2}));
}

TEST(Patience, TheLastEpochsModelIsTheJobsOnlyIfItIsTheBest) {
  for (const bool better : {false, true}) {
    Script run(patient(5, 2));
    prepare(run);
    train(run, 1, 5);
    run.save(1);
    train(run, 2, better ? 4 : 6);
    if (better) run.save(2);
    ASSERT_TRUE(run.ended.has_value());
    EXPECT_EQ(run.diary->results.at(0).commit.epoch, better ? 2U : 1U);
  }
}

// The best epoch's files must be whole before the job ends.
TEST(Patience, WaitsForTheBestEpochToBeWritten) {
  Script run(patient(1));
  prepare(run);
  train(run, 1, 5);
  run.put(1);
  train(run, 2, 6);
  EXPECT_FALSE(run.ended.has_value());
  run.receive(kPartition, run.written(1));
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.diary->results.at(0).commit.epoch, 1U);
}

TEST(Patience, AResumedJobKeepsTheBestEpoch) {
  RunPlan plan = patient(2);
  plan.resume = commit_of(4);
  plan.resume->record.best = BestSoFar{2, 3, 1};
  plan.best = commit_of(2);
  Script run(plan);
  prepare(run);
  run.schedule(9, 5);
  run.end_epoch(5);
  run.evaluate(5, 3.5);
  ASSERT_TRUE(run.ended_with(ExitCode::ok));
  EXPECT_EQ(run.diary->results.at(0).commit.epoch, 2U);
}

// A signal adds an evaluation, which must not change the model.
TEST(Patience, DoesNotCountWhatASignalEvaluates) {
  RunPlan plan = patient(1);
  plan.eval_every = 2;
  Script run(plan);
  prepare(run);
  run.schedule(1, 1);
  run.end_epoch(1);
  train(run, 2, 5);
  run.save(2);
  run.receive(kCoordinator, Stop{ExitCode::interrupted, "stopped by a signal"});
  run.schedule(5, 3);
  run.end_epoch(3);
  run.evaluate(3, 9);
  run.save(3);
  ASSERT_TRUE(run.ended_with(ExitCode::interrupted));
  EXPECT_EQ(run.diary->commits.back().epoch, 3U);
  EXPECT_EQ(run.diary->commits.back().record.best, (BestSoFar{2, 5, 0}));
}

TEST(Patience, WithoutAnyScoreTheLastEpochIsTheModel) {
  Script run(patient(1, 1));
  run.prepare({{"errors"}}, {}, {{.name = "error", .term = "errors", .count = "errors", .held_out = true}});
  train(run, 1, 0);
  run.save(1);
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.diary->results.at(0).commit.epoch, 1U);
}

TEST(HeldOutData, IsRefusedIfTheAppHasNoScoreOfIt) {
  RunPlan plan = small_plan(1);
  plan.options = Options(std::map<std::string, std::string, std::less<>>{{"valid", "rows.libsvm"}});
  Script run(plan);
  run.prepare();
  EXPECT_TRUE(run.ended_with(ExitCode::usage, "--valid: counting has no score of held-out data"));
}

TEST(EpochEnd, AnEvaluationThatTakesLongIsReportedOnce) {
  Script run(small_plan(2));
  run.prepare();
  run.schedule();
  run.end_epoch(1);
  run.pass(kSecond);
  EXPECT_FALSE(run.diary->has("evaluating"));
  for (int i = 0; i < 3; ++i) run.pass(2 * kSecond);
  EXPECT_EQ(std::ranges::count(run.diary->events, "evaluating epoch=1"), 1);
  run.evaluate(1, 1);
  run.save(1);
  run.pass(5 * kSecond);
  run.schedule(3, 2);
  run.end_epoch(2);
  run.pass(3 * kSecond);
  EXPECT_TRUE(run.diary->has("evaluating epoch=2"));
}

}  // namespace
}  // namespace rota::tests
