// A process of a running job is lost: all go back to the newest checkpoint
// with its replacement.

#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

RunPlan plan_that_restarts() {
  RunPlan plan = small_plan(2);
  plan.on_loss = OnLoss::restart;
  plan.rejoin_timeout = 20 * kSecond;
  return plan;
}

// A run whose first epoch is committed, and whose second is being computed.
Script committed_run() {
  Script run(plan_that_restarts());
  run.prepare();
  run.train(1, 2.5);
  run.save(1);
  run.schedule(3, 2);
  run.forget();
  return run;
}

TEST(Rollback, ARestartedWorkerRollsAllBackToTheCommit) {
  Script run = committed_run();
  run.receive(kWorker, run.hello(kWorker, 2));
  ASSERT_EQ(run.diary->rolled_back, (std::vector<std::optional<Epoch>>{1}));
  EXPECT_TRUE(run.diary->has("lost role=worker-0 pid=7 why=worker-0 (pid 7 on node5) was lost: it restarted"));
  EXPECT_TRUE(run.diary->has("rollback to=the checkpoint of epoch 1"));
  for (const NodeId process : {kWorker, kScheduler}) {
    const auto welcomes = run.sent<Welcome>(process);
    ASSERT_EQ(welcomes.size(), 1U) << process.name();
    EXPECT_EQ(welcomes[0].era, 2U);
    EXPECT_EQ(welcomes[0].resume, 1U);
    EXPECT_EQ(welcomes[0].files, (std::vector<HashedFile>{{run.written(1).file, 0, {}}}));
    EXPECT_EQ(welcomes[0].peers.back().incarnation, 2U) << "the new start";
  }
  run.load();
  ASSERT_EQ(run.sent<Start>(kScheduler).size(), 1U);
  EXPECT_EQ(run.sent<Start>(kScheduler)[0].epoch, 2U);
  EXPECT_EQ(run.sent<Start>(kScheduler)[0].round, 3U);
  run.train(2, 1.5);
  run.save(2);
  ASSERT_TRUE(run.ended_with(ExitCode::ok));
  ASSERT_EQ(run.diary->epochs.size(), 2U);
  EXPECT_EQ(run.diary->epochs[1].objective, 1.5);
}

TEST(Rollback, WithoutACommitTheRunStartsOver) {
  Script run(plan_that_restarts());
  run.prepare();
  run.schedule();
  run.forget();
  run.receive(kWorker, run.hello(kWorker, 2));
  EXPECT_EQ(run.diary->rolled_back, (std::vector<std::optional<Epoch>>{std::nullopt}));
  ASSERT_EQ(run.sent<Welcome>(kScheduler).size(), 1U);
  EXPECT_FALSE(run.sent<Welcome>(kScheduler)[0].resume.has_value());
  run.load();
  ASSERT_EQ(run.sent<Start>(kScheduler).size(), 1U);
  EXPECT_EQ(run.sent<Start>(kScheduler)[0].round, 1U);
}

TEST(Rollback, ItWaitsForTheRecordThatIsBeingWritten) {
  Script run(plan_that_restarts());
  run.prepare();
  run.train(1, 2.5);
  run.hold_work = true;
  run.save(1);
  run.receive(kWorker, run.hello(kWorker, 2));
  EXPECT_TRUE(run.diary->rolled_back.empty());
  EXPECT_TRUE(run.finish_work().ok());
  run.hold_work = false;
  run.pass(kSecond);
  EXPECT_EQ(run.diary->rolled_back, (std::vector<std::optional<Epoch>>{1}));
}

TEST(Rollback, EarlierReportsHaveNoEffect) {
  Script run = committed_run();
  run.hold_work = true;  // the records are not rolled back yet
  run.receive(kWorker, run.hello(kWorker, 2));
  run.end_epoch(2);
  EXPECT_FALSE(run.ended.has_value());
}

TEST(Rollback, NoReplacementJoinsInTime) {
  Script run = committed_run();
  run.disconnect(kWorker);
  run.beat(30, {kScheduler});
  ASSERT_TRUE(run.ended_with(ExitCode::temporary));
  EXPECT_TRUE(run.ended->what.starts_with("worker-0 (pid 7 on node5) was lost: its connection broke"));
  EXPECT_TRUE(run.ended->what.ends_with("; no replacement joined for worker-0")) << run.ended->what;
}

// The launcher did not know which process was lost, and a second one that hung was never replaced.
TEST(Rollback, ASecondLossDuringARollbackIsReported) {
  Script run = committed_run();
  run.disconnect(kWorker);
  run.pass(4 * kSecond);
  EXPECT_TRUE(run.diary->has("lost role=worker-0 pid=7"));
  run.disconnect(kScheduler);
  run.pass(4 * kSecond);
  EXPECT_TRUE(run.diary->has("left role=scheduler-0 pid=7 why=scheduler-0 (pid 7 on node5) was lost"));
  for (int i = 0; i < 20 && !run.ended; ++i) run.pass(kSecond);
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_TRUE(run.ended->what.ends_with("; no replacement joined for scheduler-0, worker-0")) << run.ended->what;
}

TEST(Rollback, AMemberThatWasOnlySilentReturns) {
  RunPlan plan = plan_that_restarts();
  plan.peer_timeout = 5 * kSecond;
  Script run(plan);
  run.prepare();
  run.schedule();
  run.beat(7, {kScheduler});
  EXPECT_TRUE(run.diary->has("lost role=worker-0"));
  EXPECT_FALSE(run.ended.has_value());
  run.forget();
  run.receive(kWorker, Beat{});
  run.pass(kSecond);
  EXPECT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
}

TEST(Rollback, ARepeatedCrashEndsTheRun) {
  Script run = committed_run();
  CrashInfo words;
  words.signal = 11;
  words.hooks = "plugin counting, Push::push, round 3, shard 1";
  run.diary->words = words;
  run.disconnect(kWorker);
  EXPECT_FALSE(run.ended.has_value());
  EXPECT_TRUE(run.diary->has("lost role=worker-0"));
  run.receive(kWorker, run.hello(kWorker, 2));
  run.load();
  run.disconnect(kWorker);
  EXPECT_TRUE(run.ended_with(
      ExitCode::bug,
      "worker-0 (pid 7 on node5) was ended by SIGSEGV in plugin counting, Push::push, round 3, shard 1, for the "
      "second time"));
}

TEST(Rollback, AProcessThatCannotContinueIsAwaitedAgain) {
  Script run = committed_run();
  run.receive(kWorker, Fault{ExitCode::temporary, "no memory"});
  EXPECT_FALSE(run.ended.has_value());
  EXPECT_EQ(run.sent<Stop>(kWorker).size(), 1U);
  run.receive(kWorker, run.hello(kWorker, 2));
  EXPECT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
}

TEST(Rollback, ARunThatIsToEndEndsWithTheLoss) {
  Script run = committed_run();
  run.receive(kCoordinator, Stop{ExitCode::terminated, "stopped by a signal"});
  run.receive(kWorker, run.hello(kWorker, 2));
  EXPECT_TRUE(run.ended_with(ExitCode::terminated, "stopped after epoch 1 of 2; `rota resume` continues"));
}

}  // namespace
}  // namespace rota::tests
