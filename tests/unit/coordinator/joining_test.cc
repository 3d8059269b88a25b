#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

constexpr NodeId kNew{Role::worker, 1};

RunPlan plan_of_two_epochs() {
  RunPlan plan = small_plan(2);
  plan.checkpoint_every = 0;  // only before shards move
  plan.on_loss = OnLoss::restart;
  return plan;
}

Hello more(const Script& run, Joins joins = Joins::as_new) {
  Hello hello = run.hello(kNew);
  hello.joins = joins;
  return hello;
}

// A run whose first epoch is being computed, after one more worker has joined.
Script joined_run(RunPlan plan = plan_of_two_epochs()) {
  Script run(std::move(plan));
  run.prepare();
  run.schedule();
  run.forget();
  run.receive(kNew, more(run));
  run.pass(kSecond);
  return run;
}

TEST(Joining, ANewWorkerIsWelcomedInTheCurrentEra) {
  Script run = joined_run();
  EXPECT_TRUE(run.diary->has("joined role=worker-1 pid=7 host=node5 as=one more"));
  ASSERT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kNew)[0].shard_hosts, (std::vector<ShardRange>{{0, 2}})) << "it hosts nothing yet";
  EXPECT_TRUE(run.sent<Welcome>(kWorker).empty());
  for (const NodeId worker : {kWorker, kNew}) {
    ASSERT_EQ(run.sent<ReadAhead>(worker).size(), 1U) << worker.name();
    EXPECT_EQ(run.sent<ReadAhead>(worker)[0].shard_hosts.size(), 2U);
  }
}

TEST(Joining, ShardsMoveAtAnEpochsEndWhenAllAreReady) {
  Script run = joined_run();
  const auto plan = run.sent<ReadAhead>(kNew)[0];
  run.receive(kWorker, HasRead{plan.number});
  run.receive(kNew, HasRead{plan.number});
  run.end_epoch(1);
  run.evaluate(1, 2.5);
  ASSERT_EQ(run.sent<Save>(kWorker).size(), 1U) << "for the shards that move";
  EXPECT_TRUE(run.sent<Save>(kNew).empty());
  run.forget();
  run.save(1);
  EXPECT_TRUE(run.diary->rolled_back.empty()) << "there is no rollback";
  for (const NodeId process : {kWorker, kNew, kScheduler}) {
    const auto welcomes = run.sent<Welcome>(process);
    ASSERT_EQ(welcomes.size(), 1U) << process.name();
    EXPECT_EQ(welcomes[0].era, 2U);
    EXPECT_EQ(welcomes[0].resume, 1U);
    EXPECT_EQ(welcomes[0].shard_hosts, plan.shard_hosts);
  }
}

TEST(Joining, UntilAllAreReadyNothingMoves) {
  Script run = joined_run();
  run.receive(kNew, HasRead{run.sent<ReadAhead>(kNew)[0].number});
  run.end_epoch(1);
  run.evaluate(1, 2.5);
  EXPECT_TRUE(run.sent<Save>(kWorker).empty());
  run.receive(kWorker, HasRead{77});  // of an unknown plan
  EXPECT_FALSE(run.ended.has_value());
}

TEST(Joining, ANewcomerThatIsLostCostsNothing) {
  Script run = joined_run();
  run.disconnect(kNew);
  run.beat(5, {kWorker, kScheduler});
  EXPECT_TRUE(run.diary->has("lost role=worker-1"));
  EXPECT_FALSE(run.diary->has("rollback"));
  run.end_epoch(1);
  run.evaluate(1, 2.5);
  EXPECT_FALSE(run.ended.has_value());
}

// It was never welcomed, so no shard moved in that era.
TEST(Joining, ARestartedNewcomerIsWelcomedAndReads) {
  Script run = joined_run();
  const auto before = run.sent<ReadAhead>(kNew)[0];
  run.forget();
  Hello again = more(run);
  again.incarnation = 2;
  run.receive(kNew, again);
  run.pass(kSecond);
  EXPECT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  ASSERT_EQ(run.sent<ReadAhead>(kNew).size(), 1U);
  EXPECT_NE(run.sent<ReadAhead>(kNew)[0].number, before.number);
  EXPECT_EQ(run.sent<ReadAhead>(kNew)[0].shard_hosts, before.shard_hosts);
  EXPECT_TRUE(run.diary->rolled_back.empty());
}

// The plan was unchanged, and was not sent to it again.
TEST(Joining, ALostNewcomerThatReturnsReads) {
  Script run = joined_run();
  run.disconnect(kNew);
  run.beat(5, {kWorker, kScheduler});
  ASSERT_TRUE(run.diary->has("lost role=worker-1"));
  run.forget();
  run.receive(kNew, more(run));
  run.pass(kSecond);
  EXPECT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  EXPECT_EQ(run.sent<ReadAhead>(kNew).size(), 1U);
}

// The first signal of a second start counted as the second of one process, which ends a run at once.
TEST(Joining, EachStartOfAWorkerCanBeSignalled) {
  Script run = joined_run();
  for (std::uint64_t start = 1; start <= 3; ++start) {
    run.receive(kNew, Stop{ExitCode::terminated, "worker-1 was asked to end"});
    EXPECT_FALSE(run.ended.has_value()) << start;
    EXPECT_EQ(run.sent<Stop>(kNew).size(), 1U) << start;
    run.forget();
    run.beat(3, {kWorker, kScheduler});
    Hello again = more(run);
    again.incarnation = start + 1;
    run.receive(kNew, again);
    run.pass(kSecond);
    EXPECT_EQ(run.sent<ReadAhead>(kNew).size(), 1U) << start;
  }
}

// Under a restarted coordinator that has welcomed no member yet: the job ended.
TEST(Joining, AContinuedRunLosesAWorkerWhileJoining) {
  RunPlan plan = plan_of_two_epochs();
  plan.era = 2;
  plan.workers = 2;
  Script leaving(plan), failing(plan);
  for (Script* run : {&leaving, &failing}) {
    run->receive(kWorker, run->hello(kWorker));
    run->receive(kNew, run->hello(kNew));
  }
  leaving.receive(kNew, Stop{ExitCode::terminated, "worker-1 was asked to end"});
  EXPECT_FALSE(leaving.ended.has_value());
  EXPECT_EQ(leaving.sent<Stop>(kNew).size(), 1U);
  leaving.receive(kScheduler, leaving.hello(kScheduler));
  ASSERT_EQ(leaving.sent<Welcome>(kWorker).size(), 1U);
  EXPECT_EQ(leaving.sent<Welcome>(kWorker)[0].shard_hosts.size(), 1U);

  failing.receive(kNew, Fault{ExitCode::temporary, "no memory"});
  EXPECT_FALSE(failing.ended.has_value());
  failing.receive(kScheduler, failing.hello(kScheduler));
  EXPECT_TRUE(failing.sent<Welcome>(kWorker).empty()) << "worker-1 is restarted";
  Hello again = failing.hello(kNew, 2);
  failing.receive(kNew, again);
  EXPECT_EQ(failing.sent<Welcome>(kNew).size(), 1U);
}

TEST(Joining, ASpareReplacesALostWorker) {
  Script run(plan_of_two_epochs());
  run.prepare();
  run.schedule();
  run.receive(kNew, more(run, Joins::as_spare));
  run.pass(kSecond);
  EXPECT_TRUE(run.sent<ReadAhead>(kNew).empty());
  run.forget();
  run.disconnect(kWorker);
  run.beat(5, {kNew, kScheduler});
  EXPECT_TRUE(run.diary->has("rollback to=the beginning"));
  ASSERT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kNew)[0].shard_hosts, (std::vector<ShardRange>{{1, 2}}));
  EXPECT_EQ(run.sent<Welcome>(kNew)[0].partition_hosts, std::vector<NodeId>{kNew});
}

TEST(Joining, ALeavingWorkerHandsOverFirst) {
  Script run = joined_run();
  run.receive(kWorker, Stop{ExitCode::terminated, "worker-0 was asked to end"});
  EXPECT_TRUE(run.diary->has("leaving role=worker-0"));
  run.forget();
  run.pass(kSecond);
  ASSERT_EQ(run.sent<ReadAhead>(kNew).size(), 1U);
  EXPECT_EQ(run.sent<ReadAhead>(kNew)[0].shard_hosts, (std::vector<ShardRange>{{1, 2}}));
  EXPECT_TRUE(run.sent<ReadAhead>(kWorker).empty());
  run.receive(kNew, HasRead{run.sent<ReadAhead>(kNew)[0].number});
  EXPECT_TRUE(run.sent<Stop>(kWorker).empty()) << "it computes until then";
  run.end_epoch(1);
  run.evaluate(1, 2.5);
  run.save(1);
  ASSERT_EQ(run.sent<Stop>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Stop>(kWorker)[0].code, ExitCode::terminated);
  EXPECT_TRUE(run.sent<Welcome>(kWorker).empty());
  EXPECT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  EXPECT_FALSE(run.ended.has_value());
}

TEST(Joining, ASignalToTheLastWorkerEndsTheRun) {
  Script run(plan_of_two_epochs());
  run.prepare();
  run.schedule();
  run.receive(kWorker, Stop{ExitCode::terminated, "worker-0 was asked to end"});
  run.end_epoch(1);
  run.evaluate(1, 2.5);
  run.save(1);
  ASSERT_TRUE(run.ended_with(ExitCode::terminated));
}

// The run ended with 143, and the model was not published.
TEST(Joining, AWorkerThatLeavesAfterTheLastTaskIsNotLost) {
  for (const ExitCode code : {ExitCode::terminated, ExitCode::temporary}) {
    RunPlan plan = plan_of_two_epochs();
    plan.epochs = 1;
    plan.checkpoint_every = 1;
    Script run(plan);
    run.prepare();
    run.schedule();
    run.diary->while_finishing = [&] { run.receive(kWorker, Fault{code, "asked to end"}); };
    run.end_epoch(1);
    run.evaluate(1, 2.5);
    run.save(1);
    EXPECT_TRUE(run.diary->has("fault role=worker-0"));
    ASSERT_TRUE(run.ended_with(ExitCode::ok)) << run.ended->what;
  }
}

TEST(Joining, AReplacedProcessIsDismissed) {
  RunPlan plan = plan_of_two_epochs();
  plan.on_loss = OnLoss::move;
  Script run = joined_run(plan);
  run.disconnect(kWorker);
  run.beat(5, {kNew, kScheduler});
  run.forget();
  run.receive(kWorker, Beat{});  // it had only hung
  ASSERT_EQ(run.sent<Stop>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Stop>(kWorker)[0].code, ExitCode::temporary);
}

TEST(Joining, ARunThatStopsAtALossAcceptsNoWorker) {
  RunPlan plan = plan_of_two_epochs();
  plan.on_loss = OnLoss::stop;
  Script run = joined_run(plan);
  ASSERT_EQ(run.sent<Refuse>(kNew).size(), 1U);
  EXPECT_TRUE(run.sent<Welcome>(kNew).empty());
}

TEST(Joining, WithTooFewTheRunPauses) {
  RunPlan plan = plan_of_two_epochs();
  plan.min_workers = 2;
  plan.start_timeout = 20 * kSecond;
  Script run(plan);
  run.join();
  run.pass(kSecond);
  EXPECT_TRUE(run.diary->has("paused why=1 worker is left, and --min_workers is 2"));
  EXPECT_TRUE(run.sent<Welcome>(kWorker).empty());
  run.receive(kNew, more(run));
  EXPECT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kNew).size(), 1U);
}

// It hosted no shards after that, and the run paused for lack of workers when the others were lost.
TEST(Joining, ALostWorkerThatAnswersAgainIsReadmitted) {
  RunPlan plan = plan_of_two_epochs();
  plan.on_loss = OnLoss::move;
  plan.era = 2;  // the coordinator was restarted
  plan.workers = 2;
  plan.peer_timeout = 5 * kSecond;
  plan.start_timeout = 60 * kSecond;
  Script run(plan);
  run.receive(kWorker, run.hello(kWorker));
  run.receive(kNew, run.hello(kNew));
  run.beat(12, {kWorker});
  EXPECT_TRUE(run.diary->has("abandoned role=worker-1"));
  run.receive(kNew, Beat{});
  run.receive(kScheduler, run.hello(kScheduler));
  ASSERT_EQ(run.sent<Welcome>(kNew).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kNew)[0].shard_hosts.size(), 2U);
}

}  // namespace
}  // namespace rota::tests
