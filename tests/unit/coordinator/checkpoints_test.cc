// tests/unit/coordinator/checkpoints_test.cc -- which epochs are saved, and what waits for it.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

constexpr Nanoseconds kEpochTime = kSecond;

// The rounds of an epoch are given out, and it ends.
void train(Script& run, Epoch epoch) {
  run.schedule(2 * epoch - 1, epoch);
  run.pass(kEpochTime);
  run.end_epoch(epoch);
}

// All have put what is theirs; the partition writes it for so long, which is part of the next epoch.
void put(Script& run, Epoch epoch) {
  run.hear(kWorker, Saved{epoch});
  run.hear(kScheduler, Saved{epoch});
}
void train_while_writing(Script& run, Epoch epoch, Nanoseconds written_after) {
  run.schedule(2 * epoch - 1, epoch);
  run.pass(written_after);
  run.hear(kPartition, run.written(epoch - 1));
  run.pass(kEpochTime - written_after);
  run.end_epoch(epoch);
}

// Every epoch is to be saved, if it can be; the first one is being written.
Script run_that_saves() {
  RunPlan plan = small_plan();
  plan.epochs = 9;
  plan.eval_every = 0;
  Script run(plan);
  run.prepare();
  train(run, 1);
  put(run, 1);
  return run;
}

std::vector<Epoch> saved(const Script& run) {
  std::vector<Epoch> epochs;
  for (const Save& save : run.sent<Save>(kWorker)) epochs.push_back(save.epoch);
  return epochs;
}

TEST(Saving, TheNextEpochIsHeldBackUntilTheBoundaryIsDone) {
  RunPlan plan = small_plan();
  plan.epochs = 2;
  Script run(plan);
  run.prepare();
  run.schedule(1);
  run.schedule(3, 2);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.end_epoch(1);
  run.evaluate(1, 1);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.hear(kWorker, Saved{1});
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.hear(kScheduler, Saved{1});
  ASSERT_EQ(run.sent<Tasks>(kWorker).size(), 2U) << "all is put: it is written meanwhile";
  EXPECT_EQ(run.sent<Tasks>(kWorker)[1].tasks[0].round, 3U);
  run.hear(kPartition, run.written(1));
  EXPECT_EQ(run.diary->commits.size(), 1U);
}

TEST(Saving, AnEpochThatIsNeitherEvaluatedNorSavedFlowsIntoTheNext) {
  RunPlan plan = small_plan();
  plan.epochs = 2;
  plan.eval_every = plan.checkpoint_every = 0;
  Script run(plan);
  run.prepare();
  run.schedule(1);
  run.schedule(3, 2);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 2U);
  run.end_epoch(1);
  EXPECT_TRUE(run.sent<Evaluate>(kWorker).empty());
  run.end_epoch(2);
  EXPECT_EQ(run.sent<Evaluate>(kWorker).size(), 1U);
  EXPECT_EQ(run.diary->epochs.size(), 1U);
}

// With short writes two of three epochs were not saved: whether one would be was settled while the one before was
// written.
TEST(Saving, EveryEpochIsSavedIfThatTakesLessThanHalfOfOne) {
  Script run = run_that_saves();
  train_while_writing(run, 2, kEpochTime * 4 / 10);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1})) << "how long it takes was not known";
  train(run, 3);
  put(run, 3);
  train_while_writing(run, 4, kEpochTime * 4 / 10);
  put(run, 4);
  train_while_writing(run, 5, kEpochTime * 6 / 10);
  put(run, 5);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3, 4, 5}));
  train_while_writing(run, 6, kEpochTime * 4 / 10);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3, 4, 5})) << "the newest took more";
  train(run, 7);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3, 4, 5, 7}));
  EXPECT_EQ(run.diary->commits.size(), 4U);
}

TEST(Saving, OneThatTakesLongerThanTheOneBeforeIsWaitedFor) {
  Script run = run_that_saves();
  train_while_writing(run, 2, kEpochTime / 10);
  train(run, 3);
  put(run, 3);
  train(run, 4);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3})) << "one at a time";
  run.hear(kPartition, run.written(3));
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3, 4}));
}

// A store could have any file of the coordinator's in a commit, and read it when the run went back.
TEST(Saving, AStoreNamesNoFileButItsOwn) {
  for (const char* const name : {"../keys/coordinator.secret", "/etc/passwd", "epoch-00000001/../../flags.txt",
                                 "epoch-00000002/partition-0.sst", "epoch-00000001/partition-1.sst", ""}) {
    Script run;
    run.prepare();
    run.schedule();
    run.end_epoch(1);
    run.evaluate(1, 2.5);
    Written report = run.written(1);
    report.file = name;
    run.hear(kPartition, report);
    ASSERT_TRUE(run.ended.has_value()) << name;
    EXPECT_EQ(run.ended->code, ExitCode::bug);
    EXPECT_EQ(run.ended->what, "an unexpected WRITTEN of " + std::string(name) + " from partition-0");
  }
}

}  // namespace
}  // namespace rota::tests
