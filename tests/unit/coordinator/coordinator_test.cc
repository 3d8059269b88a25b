#include "coordinator/coordinator.h"

#include <csignal>

#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

TEST(Coordinator, ARunFromHelloToStop) {
  Script run;
  run.prepare();
  EXPECT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kScheduler).size(), 1U);
  EXPECT_EQ(run.sent<JobFacts>(kScheduler).size(), 1U);
  EXPECT_EQ(run.sent<CutMade>(kWorker).size(), 1U);
  const auto start = run.sent<Start>(kScheduler);
  ASSERT_EQ(start.size(), 1U);
  EXPECT_EQ(start[0].epoch, 1U);
  EXPECT_EQ(start[0].round, 1U);

  run.schedule();
  const auto tasks = run.sent<Tasks>(kWorker);
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].tasks.size(), 4U);
  EXPECT_EQ(tasks[0].handovers.size(), 4U);
  run.end_epoch(1);
  EXPECT_EQ(run.sent<EpochOver>(kScheduler).back().epoch, 1U);
  EXPECT_EQ(run.sent<Evaluate>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Evaluate>(kPartition).size(), 1U);
  run.evaluate(1, 2.5);
  ASSERT_EQ(run.diary->epochs.size(), 1U);
  EXPECT_EQ(run.diary->epochs[0].objective, 2.5);
  EXPECT_EQ(run.diary->epochs[0].per_item, 0.25);
  EXPECT_EQ(run.diary->epochs[0].figures, (std::vector<std::pair<std::string, double>>{{"drawn", 8}}));
  ASSERT_EQ(run.sent<Save>(kPartition).size(), 1U);
  EXPECT_EQ(run.sent<Save>(kPartition)[0].objects, 8U);
  run.save(1);
  ASSERT_EQ(run.diary->commits.size(), 1U);
  EXPECT_EQ(run.diary->commits[0].next_round, 3U);
  EXPECT_EQ(run.diary->commits[0].items, 10U);
  EXPECT_EQ(run.diary->results.size(), 1U);
  ASSERT_TRUE(run.ended_with(ExitCode::ok));
  EXPECT_EQ(run.sent<Stop>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Stop>(kScheduler).size(), 1U);
}

TEST(Coordinator, ATermThatIsNoNumberEndsTheRun) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Script run;
    run.prepare();
    run.train(1, bad);
    EXPECT_TRUE(run.ended_with(ExitCode::failed, "term loss is not a finite number at epoch 1"));
    EXPECT_TRUE(run.diary->commits.empty()) << "such a model is not kept";
    EXPECT_EQ(run.diary->epochs.size(), 1U) << "but it is recorded";
  }
}

TEST(Coordinator, UnconservedItemsAreABug) {
  for (const double items : {9.0, 10.0, 11.0}) {
    Script run;
    run.prepare({{"tokens", Term::Kind::conserved}});
    run.train(1, items);
    EXPECT_EQ(run.ended.has_value(), items != 10.0);
    if (!run.ended) continue;
    EXPECT_EQ(run.ended->code, ExitCode::bug);
    EXPECT_NE(run.ended->what.find("tokens add up to"), std::string::npos) << run.ended->what;
    EXPECT_NE(run.ended->what.find("the data has 10"), std::string::npos) << run.ended->what;
  }
}

// A score of 0 counted as none: an error rate of 0 was not recorded.
TEST(Coordinator, AnyScoreOfHeldOutDataIsRecorded) {
  for (const double score : {0.0, 12.5}) {
    Script run;
    run.prepare({{"errors"}}, {}, {{.name = "error", .term = "errors", .scale = Score::Scale::sum, .held_out = true}});
    run.train(1, score);
    ASSERT_EQ(run.diary->epochs.size(), 1U);
    EXPECT_EQ(run.diary->epochs[0].valid, score);
    EXPECT_EQ(run.diary->epochs[0].objective, 0) << "it is not part of the objective";
  }
}

// The first was welcomed over a link that had been replaced, and the run hung.
TEST(Coordinator, ASecondStartDuringJoiningReplacesTheFirst) {
  Script run;
  run.receive(kWorker, run.hello(kWorker));
  run.receive(kWorker, run.hello(kWorker, 2));
  EXPECT_TRUE(run.sent<Refuse>(kWorker).empty());
  run.receive(kScheduler, run.hello(kScheduler));
  const auto welcome = run.sent<Welcome>(kWorker);
  ASSERT_EQ(welcome.size(), 1U);
  ASSERT_EQ(welcome[0].peers.size(), 2U);
  EXPECT_EQ(welcome[0].peers[1].process, kWorker);
  EXPECT_EQ(welcome[0].peers[1].incarnation, 2U);
}

TEST(Coordinator, ARefusedReplacementEndsTheRun) {
  Script run;
  run.receive(kWorker, run.hello(kWorker));
  Hello other = run.hello(kWorker, 2);
  other.version = "0.0";
  run.receive(kWorker, other);
  EXPECT_EQ(run.sent<Refuse>(kWorker).at(0).code, ExitCode::wrong_version);
  EXPECT_TRUE(run.ended_with(ExitCode::temporary,
                             "worker-0 (pid 7 on node5) was lost: a start that was refused took its place"));
}

TEST(Coordinator, UnexpectedProcessIsRefused) {
  for (const bool begun : {false, true}) {
    Script run;
    if (begun) run.prepare();
    const NodeId stranger{Role::worker, 5};
    run.receive(stranger, run.hello(stranger));
    ASSERT_EQ(run.sent<Refuse>(stranger).size(), 1U);
    EXPECT_EQ(run.sent<Refuse>(stranger)[0].what,
              begun ? "the run has begun without worker-5" : "worker-5 is not part of this run");
    EXPECT_EQ(run.diary->has("refused role=worker-5"), !begun);
    EXPECT_FALSE(run.ended.has_value());
  }
}

TEST(Coordinator, ALostWorkerEndsTheRunWithItsName) {
  Script run;
  run.prepare();
  run.schedule();
  run.pass(29 * kSecond);
  EXPECT_FALSE(run.ended.has_value());
  run.receive(kScheduler, Beat{});
  run.pass(2 * kSecond);
  EXPECT_TRUE(run.ended_with(ExitCode::temporary, "worker-0 (pid 7 on node5) was lost: no message for 31 s"));
  EXPECT_EQ(run.sent<Stop>(kScheduler).at(0).code, ExitCode::temporary);
}

// Every crash was reported as temporary, without the place of the crash.
TEST(Coordinator, ACrashedMemberEndsTheRunAsABug) {
  Script run;
  run.prepare();
  run.diary->words = CrashInfo{SIGSEGV, "plugin lda, Push::push, round 2, shard 1"};
  run.disconnect(kWorker);
  EXPECT_TRUE(run.ended_with(
      ExitCode::bug, "worker-0 (pid 7 on node5) was ended by SIGSEGV in plugin lda, Push::push, round 2, shard 1"));
  Script other;
  other.prepare();
  other.diary->words = CrashInfo{SIGABRT, ""};
  other.pass(31 * kSecond);
  EXPECT_TRUE(other.ended_with(ExitCode::bug)) << "also if it is found by the timeout";
}

TEST(Coordinator, AKilledMemberIsReportedWithItsMemory) {
  Script run;
  run.prepare();
  run.receive(kWorker, Beat{0, 123'456'789, 0, 0, {}, 0});
  run.diary->words = CrashInfo{0, "plugin lda, Push::push, round 2, shard 1"};
  run.disconnect(kWorker);
  EXPECT_FALSE(run.ended.has_value()) << "it may come back";
  run.pass(3 * kSecond);
  ASSERT_TRUE(run.ended_with(ExitCode::temporary));
  EXPECT_EQ(
      run.ended->what,
      "worker-0 (pid 7 on node5) was lost: its connection broke and it did not come back; it may have been killed, "
      "by a user or for lack of memory; its memory was 123 MB; it was in plugin lda, Push::push, round 2, shard 1");
}

TEST(Coordinator, ANumberIsAssignedToOneNewWorkerOnly) {
  Script run;
  const auto asked = [&](std::uint32_t observer, bool assigns_worker) {
    run.receive({Role::observer, observer}, AskStatus{"", assigns_worker});
    return run.sent<StatusReport>({Role::observer, observer}).at(0).json;
  };
  const std::string missing = "missing scheduler-0, worker-0, next worker-";
  EXPECT_EQ(asked(1, true), missing + "1");
  EXPECT_EQ(asked(2, true), missing + "2");
  EXPECT_EQ(asked(3, false), missing + "3");
  EXPECT_EQ(asked(4, false), missing + "3") << "an observer that only asks reserves none";
}

TEST(Coordinator, MissingMembersAreNamed) {
  Script run;
  run.receive(kWorker, run.hello(kWorker));
  run.receive({Role::observer, 1}, AskStatus{"there"});
  EXPECT_EQ(run.sent<StatusReport>({Role::observer, 1}).at(0).json, "missing scheduler-0, next worker-1");
  run.pass(60 * kSecond);
  EXPECT_TRUE(run.ended_with(ExitCode::temporary, "these have not joined: scheduler-0"));
}

// A process that hung before the coordinator was restarted was waited for until the run ended.
TEST(Coordinator, ARestartedCoordinatorNamesMissingMembers) {
  for (const std::uint64_t era : {1U, 2U}) {
    RunPlan plan = small_plan();
    plan.era = era;
    plan.on_loss = OnLoss::restart;
    Script run(plan);
    run.receive(kScheduler, run.hello(kScheduler));
    run.pass(29 * kSecond);
    run.receive(kScheduler, Beat{});
    EXPECT_FALSE(run.diary->has("unresponsive"));
    run.pass(2 * kSecond);
    run.pass(kSecond);
    const auto count = std::count(run.diary->events.begin(), run.diary->events.end(), "unresponsive role=worker-0");
    EXPECT_EQ(count, era == 1 ? 0 : 1) << "in the first era members may start late";
    EXPECT_FALSE(run.diary->has("unresponsive role=scheduler-0"));
  }
}

// Such an end counted as success, and a missing commit record was read.
TEST(Coordinator, AFaultWithoutACodeIsABug) {
  Script run;
  run.prepare();
  run.receive(kWorker, Fault{ExitCode::ok, "nothing is wrong"});
  EXPECT_TRUE(run.ended_with(ExitCode::bug, "an unexpected FAULT without a code from worker-0"));
}

// Any process that could connect could end a run, or be counted as a worker.
TEST(Coordinator, MessagesOfStrangersAreIgnored) {
  Script run;
  const NodeId stranger{Role::worker, 5};
  run.receive(stranger, Fault{ExitCode::failed, "nothing"});
  run.receive({Role::observer, 3}, Stop{ExitCode::interrupted, "please"});
  run.receive({Role::partition, 1}, Ready{});
  run.join();
  run.receive(stranger, Loaded{});
  EXPECT_FALSE(run.ended.has_value());
  EXPECT_TRUE(run.sent<JobFacts>(kScheduler).empty());
  EXPECT_TRUE(run.diary->has("ignored role=worker-5 what=FAULT"));
  EXPECT_TRUE(run.diary->has("ignored role=worker-5 what=LOADED"));
}

TEST(Coordinator, AnUnexpectedMessageOfAMemberIsABug) {
  const std::vector<std::pair<NodeId, Message>> wrong = {
      {kWorker, Loaded{}},    {kWorker, CutMade{}},   {kWorker, Ready{}},        {kPartition, Ready{}},
      {kWorker, Rounds{}},    {kScheduler, Rounds{}}, {kPartition, EpochDone{}}, {kWorker, EpochDone{}},
      {kWorker, Evaluated{}}, {kWorker, Saved{1}},    {kPartition, Written{}},   {kWorker, Welcome{}},
      {kWorker, Stop{}},      {kWorker, Deltas{}},
  };
  for (const auto& [from, message] : wrong) {
    Script run;
    run.prepare();
    run.schedule();
    ASSERT_FALSE(run.ended.has_value());
    run.receive(from, message);
    ASSERT_TRUE(run.ended_with(ExitCode::bug)) << kind_name(kind_of(message)) << " from " << from.name();
    EXPECT_TRUE(run.ended->what.starts_with("an unexpected ")) << run.ended->what;
    EXPECT_NE(run.ended->what.find(from.name()), std::string::npos) << run.ended->what;
  }
}

// READY was counted from any process, and twice from the same.
TEST(Coordinator, ASecondReadyIsRefused) {
  for (const NodeId again : {kScheduler, kPartition}) {
    Script run;
    run.join();
    run.receive(kPartition, Ready{});
    run.receive(again, Ready{});
    ASSERT_TRUE(run.ended.has_value());
    EXPECT_EQ(run.ended->what, "an unexpected READY from " + again.name());
  }
}

// It was handled like the first, after its state had been released.
TEST(Coordinator, ASecondSavedIsRefused) {
  Script run(small_plan(2));
  run.prepare();
  run.train(1, 1);
  run.put(1);
  EXPECT_FALSE(run.ended.has_value()) << "training continues while the partition writes";
  run.receive(kScheduler, Saved{1});
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.ended->what, "an unexpected SAVED from scheduler-0");
}

TEST(Coordinator, ASignalEndsTheRunAfterTheEpochWithACheckpoint) {
  Script run(small_plan(5));
  run.prepare();
  run.schedule(1);
  run.receive(kCoordinator, Stop{ExitCode::interrupted, "stopped by a signal"});
  EXPECT_FALSE(run.ended.has_value());
  run.end_epoch(1);
  run.evaluate(1, 1);
  run.save(1);
  EXPECT_TRUE(run.ended_with(ExitCode::interrupted, "stopped after epoch 1 of 5; `rota resume` continues"));
  EXPECT_EQ(run.diary->commits.size(), 1U);
  EXPECT_TRUE(run.diary->results.empty());
}

// Another whole epoch was trained first.
TEST(Coordinator, ASignalDuringASaveEndsTheRunAfterIt) {
  for (const bool put : {false, true}) {
    Script run(small_plan(5));
    run.prepare();
    run.schedule(1);
    run.schedule(3, 2);
    run.end_epoch(1);
    run.evaluate(1, 1);
    if (put) {
      run.put(1);
      EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 2U) << "the next epoch has begun";
    }
    run.receive(kCoordinator, Stop{ExitCode::terminated, "stopped by a signal"});
    EXPECT_FALSE(run.ended.has_value());
    if (!put) {
      run.put(1);
      EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U) << "no other epoch is begun";
    }
    run.receive(kPartition, run.written(1));
    EXPECT_TRUE(run.ended_with(ExitCode::terminated, "stopped after epoch 1 of 5; `rota resume` continues"));
    EXPECT_EQ(run.diary->commits.size(), 1U);
  }
}

TEST(Coordinator, ASignalDuringAnEvaluationMakesTheEpochTheLast) {
  RunPlan plan = small_plan(5);
  plan.checkpoint_every = 0;
  Script run(plan);
  run.prepare();
  run.schedule(1);
  run.end_epoch(1);
  run.receive(kCoordinator, Stop{ExitCode::terminated, "stopped by a signal"});
  run.evaluate(1, 1);
  run.save(1);
  ASSERT_TRUE(run.ended.has_value());
  EXPECT_EQ(run.ended->what, "stopped after epoch 1 of 5; `rota resume` continues");
}

// The run ended at once, and lost the work since its last checkpoint.
TEST(Coordinator, ASignalledMemberEndsTheRunCleanly) {
  Script run(small_plan(5));
  run.prepare();
  run.schedule(1);
  // A batch system signals all processes of a job at once.
  for (const NodeId process : {kWorker, kScheduler, kCoordinator}) {
    run.receive(process, Stop{ExitCode::terminated, process.name() + " was asked to end"});
    EXPECT_FALSE(run.ended.has_value());
  }
  run.end_epoch(1);
  run.evaluate(1, 1);
  run.save(1);
  ASSERT_TRUE(run.ended_with(ExitCode::terminated));
  EXPECT_EQ(run.diary->commits.size(), 1U);
  EXPECT_TRUE(run.diary->has("stopping why=worker-0 was asked to end"));
}

TEST(Coordinator, ASecondSignalOfTheSameMemberEndsTheRunAtOnce) {
  Script run;
  run.prepare();
  run.receive(kWorker, Stop{ExitCode::terminated, "once"});
  run.receive(kWorker, Stop{ExitCode::terminated, "once, forwarded by a launcher"});
  run.pass(kSecond);
  EXPECT_FALSE(run.ended.has_value());
  run.receive(kWorker, Stop{ExitCode::terminated, "twice"});
  EXPECT_TRUE(run.ended_with(ExitCode::terminated));
}

// Messages that had arrived during the pause were not read first.
TEST(Coordinator, ItsOwnPauseLosesNoMember) {
  Script run;
  run.prepare();
  run.schedule();
  run.pause(60 * kSecond);
  EXPECT_FALSE(run.ended.has_value());
  run.pass(30 * kSecond);
  EXPECT_TRUE(run.ended.has_value());
  Script gathering;
  gathering.receive(kWorker, gathering.hello(kWorker));
  gathering.pause(100 * kSecond);
  EXPECT_FALSE(gathering.ended.has_value());
  EXPECT_FALSE(gathering.diary->has("left"));
}

// A dead process counted as joined, and the run failed when it began.
TEST(Coordinator, AMemberThatDiesDuringJoiningIsMissingAgain) {
  Script run;
  run.receive(kWorker, run.hello(kWorker));
  run.disconnect(kWorker);
  run.pass(3 * kSecond);
  EXPECT_TRUE(run.diary->has("left role=worker-0 pid=7 why=worker-0 (pid 7 on node5) was lost: its connection broke"));
  run.receive(kScheduler, run.hello(kScheduler));
  EXPECT_TRUE(run.sent<Welcome>(kScheduler).empty());
  EXPECT_FALSE(run.ended.has_value());
  run.receive(kWorker, run.hello(kWorker, 2));
  ASSERT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kWorker)[0].peers.at(1).incarnation, 2U);
}

TEST(Coordinator, ASilentMemberIsBackWithItsNextMessage) {
  Script run;
  run.receive(kWorker, run.hello(kWorker));
  run.pass(31 * kSecond);
  EXPECT_TRUE(run.diary->has("left role=worker-0"));
  run.receive(kScheduler, run.hello(kScheduler));
  EXPECT_TRUE(run.sent<Welcome>(kWorker).empty());
  run.receive(kWorker, Beat{});
  run.pass(kSecond);
  EXPECT_EQ(run.sent<Welcome>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Welcome>(kScheduler).size(), 1U);
}

TEST(Coordinator, ASecondSignalEndsTheRunAtOnce) {
  Script run;
  run.prepare();
  run.receive(kCoordinator, Stop{ExitCode::terminated, "once"});
  run.pass(kSecond);
  EXPECT_FALSE(run.ended.has_value());
  run.receive(kCoordinator, Stop{ExitCode::interrupted, "twice"});
  EXPECT_TRUE(run.ended_with(ExitCode::interrupted));
}

TEST(Coordinator, TheAppDecidesTheEpochsByDefault) {
  Script run(small_plan(0));
  run.prepare();
  EXPECT_EQ(run.sent<Start>(kScheduler).at(0).last, 3U);
  run.train(1, 1);
  EXPECT_EQ(run.diary->epochs.at(0).epochs, 3U);
  EXPECT_FALSE(run.ended.has_value());
}

TEST(Coordinator, BadDataNamesItsPlaceThenItsProcess) {
  for (const auto& [code, what, shown] :
       {std::tuple(ExitCode::bad_data, "docs:6: no number (plugin lda, Push::attach, shard 1)",
                   "docs:6: no number (plugin lda, Push::attach, shard 1) [worker-0]"),
        {ExitCode::bad_data, "docs:6: no number (plugin lda, load, worker-0)",
         "docs:6: no number (plugin lda, load, worker-0)"},
        {ExitCode::failed, "push threw", "worker-0: push threw"}}) {
    Script run;
    run.join();
    run.receive(kWorker, Fault{code, what});
    EXPECT_TRUE(run.ended_with(code, shown));
  }
}

TEST(Coordinator, ACommitThatCannotBeWrittenEndsTheRun) {
  Script run;
  run.diary->commit_answer = {ExitCode::disk, "no space left"};
  run.prepare();
  run.train(1, 1);
  run.save(1);
  ASSERT_TRUE(run.ended_with(ExitCode::disk));
  EXPECT_TRUE(run.diary->results.empty());
}

TEST(Coordinator, NothingHappensAfterTheEnd) {
  Script run;
  run.prepare();
  run.receive(kWorker, Fault{ExitCode::failed, "push threw"});
  run.forget();
  run.schedule();
  run.pass(100 * kSecond);
  run.receive(kWorker, Fault{ExitCode::disk, "another"});
  EXPECT_TRUE(run.envelopes.empty());
  EXPECT_EQ(run.ended->code, ExitCode::failed);
}

}  // namespace
}  // namespace rota::tests
