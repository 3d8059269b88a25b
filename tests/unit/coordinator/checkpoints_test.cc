#include "core/rounds/placement.h"
#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

constexpr Nanoseconds kEpochTime = kSecond;

// Sends out the rounds of an epoch, and ends it.
void train(Script& run, Epoch epoch) {
  run.schedule(2 * epoch - 1, epoch);
  run.pass(kEpochTime);
  run.end_epoch(epoch);
}

// The partition writes the epoch before for that long, while this one is trained.
void train_while_writing(Script& run, Epoch epoch, Nanoseconds written_after) {
  run.schedule(2 * epoch - 1, epoch);
  run.pass(written_after);
  run.receive(kPartition, run.written(epoch - 1));
  run.pass(kEpochTime - written_after);
  run.end_epoch(epoch);
}

// Every epoch should be saved; the first one is being written.
Script run_that_saves() {
  RunPlan plan = small_plan(9);
  plan.eval_every = 0;
  Script run(plan);
  run.prepare();
  train(run, 1);
  run.put(1);
  return run;
}

std::vector<Epoch> saved(const Script& run) {
  std::vector<Epoch> epochs;
  for (const Save& save : run.sent<Save>(kWorker)) epochs.push_back(save.epoch);
  return epochs;
}

TEST(Saving, TheNextEpochIsHeldBackUntilTheBoundaryIsDone) {
  Script run(small_plan(2));
  run.prepare();
  run.schedule(1);
  run.schedule(3, 2);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.end_epoch(1);
  run.evaluate(1, 1);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.receive(kWorker, Saved{1});
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 1U);
  run.receive(kScheduler, Saved{1});
  ASSERT_EQ(run.sent<Tasks>(kWorker).size(), 2U) << "all objects are put: they are written meanwhile";
  EXPECT_EQ(run.sent<Tasks>(kWorker)[1].tasks[0].round, 3U);
  run.receive(kPartition, run.written(1));
  EXPECT_EQ(run.diary->commits.size(), 1U);
}

TEST(Saving, AnEpochThatIsNeitherEvaluatedNorSavedFlowsIntoTheNext) {
  RunPlan plan = small_plan(2);
  plan.eval_every = plan.checkpoint_every = 0;
  Script run(plan);
  run.prepare();
  run.schedule(1);
  run.schedule(3, 2);
  EXPECT_EQ(run.sent<Tasks>(kWorker).size(), 2U);
  ASSERT_EQ(run.sent<Evaluate>(kWorker).size(), 1U);
  EXPECT_EQ(run.sent<Evaluate>(kWorker)[0].epoch, 2U) << "the last";
  run.evaluate(2, 2.5);
  run.end_epoch(1);
  ASSERT_EQ(run.diary->epochs.size(), 1U);
  EXPECT_FALSE(run.diary->epochs[0].evaluated);
  run.end_epoch(2);
  ASSERT_EQ(run.diary->epochs.size(), 2U);
  EXPECT_TRUE(run.diary->epochs[1].evaluated);
}

// With short writes two of three epochs were not saved: the decision was made while the epoch before was being written.
TEST(Saving, EveryEpochIsSavedIfThatTakesLessThanHalfOfOne) {
  Script run = run_that_saves();
  train_while_writing(run, 2, kEpochTime * 4 / 10);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1})) << "the time of a save was not known";
  train(run, 3);
  run.put(3);
  train_while_writing(run, 4, kEpochTime * 4 / 10);
  run.put(4);
  train_while_writing(run, 5, kEpochTime * 6 / 10);
  run.put(5);
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
  run.put(3);
  train(run, 4);
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3})) << "one at a time";
  run.receive(kPartition, run.written(3));
  EXPECT_EQ(saved(run), (std::vector<Epoch>{1, 3, 4}));
}

// A store could name any file of the coordinator in a commit, and read it after a rollback.
TEST(Saving, AStoreCanNameOnlyItsOwnFile) {
  for (const char* const name : {"../keys/coordinator.secret", "/etc/passwd", "epoch-00000001/../../flags.txt",
                                 "epoch-00000002/partition-0.sst", "epoch-00000001/partition-1.sst", ""}) {
    Script run;
    run.prepare();
    run.train(1, 2.5);
    Written report = run.written(1);
    report.file = name;
    run.receive(kPartition, report);
    EXPECT_TRUE(run.ended_with(ExitCode::bug, "an unexpected WRITTEN of " + std::string(name) + " from partition-0"))
        << name;
  }
}

// ---- the files in a commit record ----

RunPlan plan_of(std::uint32_t partitions) {
  RunPlan plan;
  plan.workers = 2;
  plan.shards = 5;
  plan.slices = 10;
  plan.partitions = partitions;
  return plan;
}

// The report of a partition, with hashes that follow from the objects' names.
Written report_of(const RunPlan& plan, std::uint32_t partition) {
  Written report;
  report.epoch = 3;
  report.file = "epoch-00000003/partition-" + std::to_string(partition) + ".sst";
  report.file_bytes = 100 + partition;
  report.file_hash = {partition, 9};
  const auto add = [&](Object object, std::uint64_t count) {
    for (std::uint64_t id = 0; id < count; ++id)
      if (partition_of_object(id, plan.partitions) == partition)
        report.objects.push_back({object, id, {static_cast<std::uint64_t>(object) * 1000 + id, 7}});
  };
  add(Object::shard, plan.shards);
  add(Object::slice, plan.slices);
  add(Object::schedule, plan.schedulers);
  if (partition == 0) report.objects.push_back({Object::cut, 0, {5, 5}});
  if (partition == 0) report.objects.push_back({Object::common, 0, {6, 6}});
  report.objects.push_back({Object::pull, partition, hash128(Writer().view())});  // most have no state
  // 1000 rows over all partitions.
  for (std::uint64_t key = 0; key < 1000; ++key)
    if (partition_of_row(0, key, plan.partitions) == partition) report.rows += Hash128{key * key, ~key};
  return report;
}

CommitRecord record_of(std::uint32_t partitions) {
  const RunPlan plan = plan_of(partitions);
  Checkpoint checkpoint(plan, plan.workers, 3);
  for (std::uint32_t p = partitions; p-- > 0;) EXPECT_TRUE(checkpoint.written(p, report_of(plan, p)));
  EXPECT_TRUE(checkpoint.all_written());
  CommitRecord record;
  checkpoint.fill(record);
  return record;
}

TEST(Checkpoint, TheHashesDoNotDependOnThePartitions) {
  const CommitRecord one = record_of(1);
  for (const std::uint32_t partitions : {2U, 3U, 7U}) {
    const CommitRecord other = record_of(partitions);
    EXPECT_EQ(other.model_hash, one.model_hash);
    EXPECT_EQ(other.state_hash, one.state_hash);
    ASSERT_EQ(other.files.size(), partitions);
    EXPECT_EQ(other.files[1].file, "epoch-00000003/partition-1.sst");
    EXPECT_EQ(other.files[1].bytes, 101U);
  }
  EXPECT_NE(one.model_hash, one.state_hash);
}

TEST(Checkpoint, EveryObjectAndEveryRowIsInOneOfTheHashes) {
  const RunPlan plan = plan_of(1);
  const CommitRecord before = record_of(1);
  const Written report = report_of(plan, 0);
  for (std::size_t i = 0; i <= report.objects.size(); ++i) {
    Written other = report;
    if (i == report.objects.size())
      other.rows += Hash128{1, 0};
    else
      other.objects[i].hash.low ^= 1;
    Checkpoint checkpoint(plan, plan.workers, 3);
    ASSERT_TRUE(checkpoint.written(0, other));
    CommitRecord record;
    checkpoint.fill(record);
    const bool rows = i == report.objects.size();
    const bool model = rows || report.objects[i].object == Object::slice;
    const bool cut = !rows && (report.objects[i].object == Object::cut || report.objects[i].object == Object::common);
    EXPECT_EQ(record.model_hash != before.model_hash, model) << i;
    EXPECT_EQ(record.state_hash != before.state_hash, !model && !cut) << i;
  }
}

TEST(Checkpoint, ObjectsAreSharedOutAsTheyArePlaced) {
  for (const std::uint32_t partitions : {1U, 2U, 3U, 8U, 20U}) {
    const RunPlan plan = plan_of(partitions);
    const Checkpoint checkpoint(plan, plan.workers, 1);
    for (std::uint32_t p = 0; p < partitions; ++p)
      EXPECT_EQ(checkpoint.objects_of(p), report_of(plan, p).objects.size()) << p << " of " << partitions;
  }
}

TEST(Checkpoint, ReportsThatDoNotFitAreRefused) {
  const RunPlan plan = plan_of(2);
  Checkpoint checkpoint(plan, plan.workers, 3);
  Written report = report_of(plan, 0);
  EXPECT_FALSE(checkpoint.written(2, report)) << "no such partition";
  report.objects.pop_back();
  EXPECT_FALSE(checkpoint.written(0, report)) << "an object is missing";
  EXPECT_TRUE(checkpoint.written(0, report_of(plan, 0)));
  EXPECT_FALSE(checkpoint.written(0, report_of(plan, 0))) << "twice";
  Written stolen = report_of(plan, 1);
  stolen.objects[0] = report_of(plan, 0).objects[0];
  EXPECT_FALSE(checkpoint.written(1, stolen)) << "an object of another partition";
}

}  // namespace
}  // namespace rota::tests
