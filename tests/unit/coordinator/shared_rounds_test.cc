#include "coordinator/coordinator.h"
#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

RunPlan plan_of_shared_rounds(std::uint32_t schedulers) {
  RunPlan plan = small_plan();
  plan.slices = 0;
  plan.epochs = 4;
  plan.schedulers = schedulers;
  return plan;
}

TEST(SharedRounds, AnEpochIsOverWhenTheSchedulerHasItsFeedbackToo) {
  Script run(plan_of_shared_rounds(1));
  run.prepare();
  run.share(kScheduler, 1, 5, true);
  ASSERT_EQ(run.sent<Expect>(kPartition).size(), 1U);
  EXPECT_EQ(run.sent<Tasks>(kWorker).at(0).shared.at(0).keys, (std::vector<Key>{5}));
  run.end_epoch(1);
  EXPECT_TRUE(run.sent<EpochOver>(kScheduler).empty()) << "its figures follow the feedback";
  run.end_schedule(kScheduler, 2, 1, 7);
  EXPECT_EQ(run.sent<EpochOver>(kScheduler).size(), 1U);
  Script other(plan_of_shared_rounds(1));
  other.prepare();
  other.share(kScheduler, 1, 5, true);
  other.end_schedule(kScheduler, 2, 1, 7);
  EXPECT_TRUE(other.sent<EpochOver>(kScheduler).empty()) << "a worker still works";
  other.end_epoch(1);
  EXPECT_EQ(other.sent<EpochOver>(kScheduler).size(), 1U);
}

TEST(SharedRounds, AnEvaluationIsAskedForWithTheLastTasksAndCountsWhenTheEpochIsOver) {
  for (const bool visits : {false, true}) {
    Script run(small_plan(2));
    run.evaluating_pass = visits;
    run.prepare();
    run.schedule(1);
    ASSERT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
    EXPECT_EQ(run.sent<Evaluate>(kWorker).size(), visits ? 0U : 1U) << "slices visit when the epoch is over for all";
    if (!visits) run.evaluate(1, 2.5);
    EXPECT_TRUE(run.diary->epochs.empty());
    run.end_epoch(1);
    ASSERT_EQ(run.sent<Evaluate>(kWorker).size(), 1U);
    EXPECT_EQ(run.sent<Evaluate>(kWorker)[0].visits, visits);
    if (visits) run.evaluate(1, 2.5);
    ASSERT_EQ(run.diary->epochs.size(), 1U);
    EXPECT_EQ(run.diary->epochs[0].objective, 2.5);
    EXPECT_EQ(run.ended, std::nullopt);
    run.evaluate(1, 2.5);
    EXPECT_TRUE(run.ended.has_value()) << "none is expected any more";
  }
}

TEST(SharedRounds, SchedulersTakeTurnsAtAnySpeed) {
  Script run(plan_of_shared_rounds(2));
  run.prepare();
  for (const NodeId scheduler : {kScheduler, kOther}) {
    EXPECT_EQ(run.sent<JobFacts>(scheduler).size(), 1U);
    ASSERT_EQ(run.sent<Start>(scheduler).size(), 1U);
    EXPECT_EQ(run.sent<Start>(scheduler)[0].round, 1U);
  }
  run.share(kOther, 1, 7);
  run.share(kOther, 2, 8);
  EXPECT_TRUE(run.sent<Tasks>(kWorker).empty()) << "scheduler 0 comes first";
  run.share(kScheduler, 1, 4);
  const auto expects = run.sent<Expect>(kPartition);
  ASSERT_EQ(expects.size(), 2U) << "one of each";
  EXPECT_EQ(expects[0].rows.keys, (std::vector<Key>{4}));
  EXPECT_EQ(expects[1].rows.keys, (std::vector<Key>{7}));
  EXPECT_EQ(expects[1].rows.round, 2U);
  ASSERT_TRUE(expects[1].awaited_by.has_value());
  EXPECT_EQ(expects[1].awaited_by->scheduler, 1U);
  EXPECT_EQ(expects[1].awaited_by->round, 1U) << "its own first";
}

TEST(SharedRounds, ASchedulesEndIsKnownBeforeTheNextEpoch) {
  for (const bool ends : {false, true}) {
    RunPlan plan = plan_of_shared_rounds(1);
    plan.eval_every = plan.checkpoint_every = 0;
    Script run(plan);
    CutMade cut = run.cut();
    cut.may_end_job = true;
    run.prepare({{"loss", Term::Kind::objective}}, cut);
    run.share(kScheduler, 1, 4, true);
    run.share(kScheduler, 2, 5, true);
    EXPECT_EQ(run.sent<Expect>(kPartition).size(), 1U) << "the second epoch waits";
    run.end_epoch(1);
    run.end_schedule(kScheduler, 3, 1, 10, ends);
    EXPECT_EQ(run.sent<Expect>(kPartition).size(), ends ? 1U : 2U);
    EXPECT_EQ(run.sent<Evaluate>(kWorker).size(), ends ? 1U : 0U) << "the last epoch is evaluated";
    ASSERT_EQ(run.diary->epochs.size(), ends ? 0U : 1U) << "and recorded after that";
    if (!ends) {
      EXPECT_EQ(run.diary->epochs.at(0).epochs, 4U);
    }
  }
}

TEST(SharedRounds, TheNextEpochIsGivenOutOnceItIsKnownToFollowUnlessOneIsEvaluated) {
  for (const Epoch eval_every : {0U, 1U}) {
    RunPlan plan = plan_of_shared_rounds(1);
    plan.eval_every = eval_every;
    plan.checkpoint_every = 0;
    Script run(plan);
    CutMade cut = run.cut();
    cut.may_end_job = true;
    run.prepare({{"loss", Term::Kind::objective}}, cut);
    run.share(kScheduler, 1, 4, true);
    run.share(kScheduler, 2, 5, true);
    EXPECT_EQ(run.sent<Expect>(kPartition).size(), 1U) << "the schedule may end the job";
    run.end_schedule(kScheduler, 3, 1, 10);
    EXPECT_EQ(run.sent<Expect>(kPartition).size(), eval_every == 0 ? 2U : 1U) << "the worker has not ended epoch 1";
    run.end_epoch(1);
    EXPECT_EQ(run.diary->epochs.size(), eval_every == 0 ? 1U : 0U);
    EXPECT_EQ(run.sent<Evaluate>(kWorker).size(), eval_every == 0 ? 0U : 1U);
  }
}

// It was missing in the log, and in the launcher's output.
TEST(SharedRounds, AnEpochThatIsSavedAndNotEvaluatedIsRecordedToo) {
  RunPlan plan = plan_of_shared_rounds(1);
  plan.eval_every = 0;
  plan.checkpoint_every = 1;
  Script run(plan);
  run.prepare();
  run.share(kScheduler, 1, 4, true);
  run.end_epoch(1);
  run.end_schedule(kScheduler, 2, 1, 10);
  EXPECT_EQ(run.sent<Save>(kPartition).size(), 1U);
  ASSERT_EQ(run.diary->epochs.size(), 1U);
  EXPECT_FALSE(run.diary->epochs.at(0).evaluated);
}

TEST(SharedRounds, TheEpochAndTheJobEndWithTheLastScheduler) {
  for (const bool both : {false, true}) {
    Script run(plan_of_shared_rounds(2));
    run.prepare();
    run.share(kScheduler, 1, 4, true, true);
    run.share(kOther, 1, 7);
    run.share(kOther, 2, 8, true, both);
    run.end_epoch(1);
    run.end_schedule(kScheduler, 2, 1, 10);
    EXPECT_TRUE(run.sent<EpochOver>(kScheduler).empty());
    run.end_schedule(kOther, 3, 1, 20);
    ASSERT_EQ(run.sent<Evaluate>(kWorker).size(), 1U);
    Evaluated all;
    all.epoch = 1;
    all.shards = {{0, {1}}, {1, {0}}};
    run.receive(kWorker, all);
    Evaluated rows;
    rows.epoch = 1;
    rows.rows = {0};
    run.receive(kPartition, rows);
    const std::vector<std::pair<std::string, double>> figures = {{"scheduler-0.drawn", 10}, {"scheduler-1.drawn", 20}};
    EXPECT_EQ(run.diary->epochs.at(0).figures, figures);
    EXPECT_EQ(run.diary->epochs.at(0).epochs, both ? 1U : 4U);
    EXPECT_EQ(run.sent<Save>(kOther).size(), 1U);
  }
}

TEST(SharedRounds, AScheduleMayEndTheJobBeforeItsLastEpoch) {
  RunPlan plan = small_plan(4);
  plan.eval_every = plan.checkpoint_every = 0;
  Script run(plan);
  run.prepare();
  run.schedule(1, 1, true);
  run.end_epoch(1);
  run.evaluate(1, 1);
  run.save(1);
  ASSERT_EQ(run.diary->commits.size(), 1U);
  EXPECT_TRUE(run.diary->commits[0].ends_job);
  EXPECT_EQ(run.diary->results.size(), 1U);
  EXPECT_TRUE(run.ended_with(ExitCode::ok));
}

TEST(SharedRounds, ItsScheduleEndsAJobWithoutALastEpoch) {
  Script run(small_plan(0));
  run.app_epochs = 0;
  run.prepare();
  EXPECT_GT(run.sent<Start>(kScheduler).at(0).last, 1'000'000'000U) << "more than --epochs allows";
  run.train(1, 1);
  EXPECT_EQ(run.diary->epochs.at(0).epochs, 0U) << "not known yet";
  run.save(1);
  run.schedule(3, 2, true);
  run.end_epoch(2);
  run.evaluate(2, 1);
  EXPECT_EQ(run.diary->epochs.at(1).epochs, 2U);
  run.save(2);
  EXPECT_TRUE(run.ended_with(ExitCode::ok));
}

// It was stopped after epoch 1 of 4294967294.
TEST(SharedRounds, AStoppedJobWithoutALastEpochNamesNone) {
  Script run(small_plan(0));
  run.app_epochs = 0;
  run.prepare();
  run.receive(kCoordinator, Stop{ExitCode::terminated, "enough"});
  run.train(1, 1);
  run.save(1);
  EXPECT_TRUE(run.ended_with(ExitCode::terminated));
  EXPECT_EQ(run.ended.value_or(Ending{}).what, "stopped after epoch 1; `rota resume` continues");
}

// It continued after the end that the schedule had decided.
TEST(SharedRounds, AResumedRunWhoseScheduleHadEndedTheJobIsDone) {
  RunPlan plan = small_plan(4);
  plan.resume = commit_of(1);
  plan.resume->ends_job = true;
  Script run(plan);
  run.prepare();
  EXPECT_TRUE(run.sent<Start>(kScheduler).empty());
  EXPECT_TRUE(run.ended_with(ExitCode::ok));
  EXPECT_EQ(run.diary->results.at(0).commit.epoch, 1U);
}

TEST(SharedRounds, ASchedulersRoundsThatDoNotFollowItsOthersAreRefused) {
  Script run(plan_of_shared_rounds(2));
  run.prepare();
  run.share(kOther, 1, 7);
  run.share(kOther, 3, 8);
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.ended->what, "an unexpected ROUNDS out of order from scheduler-1");
}

}  // namespace
}  // namespace rota::tests
