#include "core/records/run_recorder.h"

#include "core/records/json_records.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class RunRecords : public TemporaryFolder {
 protected:
  std::shared_ptr<Recorder> open(std::optional<Epoch> newest, std::optional<Epoch> best = {}) const {
    JobConfig settings;
    settings.run = run;
    auto recorder = open_run_recorder(settings, newest, best);
    EXPECT_TRUE(recorder.ok()) << recorder.status().what();
    return recorder.ok() ? *recorder : nullptr;
  }
  static void commit(Recorder& recorder, const RunFolder& run, Epoch epoch, std::optional<Epoch> best = {}) {
    std::filesystem::create_directories(run.checkpoint(epoch));
    CommitRecord record;
    record.epoch = epoch;
    if (best) record.record.best = BestSoFar{*best, 0.5, epoch - *best};
    const Status status = recorder.commit(record);
    EXPECT_TRUE(status.ok()) << status.what();
  }
  // Epochs with a folder.
  std::vector<std::string> epochs() const {
    std::vector<std::string> names;
    for (const auto& path : run.epochs()) names.push_back(path.filename().string().substr(13));
    std::sort(names.begin(), names.end());
    return names;
  }
  RunFolder run{folder / "run"};
};

TEST_F(RunRecords, TheTwoNewestEpochsAreKept) {
  const auto recorder = open(std::nullopt);
  for (const Epoch epoch : {1U, 2U, 3U, 4U}) commit(*recorder, run, epoch);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"3", "4"}));
}

// A damaged epoch counted as one of the two: after 5, with 9 refused, the commit of 6 dropped 5.
TEST_F(RunRecords, AnEpochThatWasRefusedIsNotOneOfThem) {
  const auto first = open(std::nullopt);
  for (const Epoch epoch : {4U, 5U, 9U}) commit(*first, run, epoch);
  std::filesystem::create_directories(run.checkpoint(4));
  commit(*first, run, 4);
  std::filesystem::create_directories(run.checkpoint(5));
  std::ofstream(run.checkpoint(5) / RunFolder::kCommitRecord) << "whole";
  const auto resumed = open(5);
  commit(*resumed, run, 6);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"5", "6", "9"}));
  commit(*resumed, run, 7);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"6", "7", "9"}));
  commit(*resumed, run, 9);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"7", "9"}));
}

// With 5 the best, 1 was dropped, and 4, whose record names 1, could not be used when 5 was damaged.
TEST_F(RunRecords, TheBestEpochOfEachThatIsKeptIsKept) {
  const auto recorder = open(std::nullopt);
  for (const Epoch epoch : {1U, 3U, 4U}) commit(*recorder, run, epoch, 1);
  commit(*recorder, run, 5, 5);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"1", "4", "5"}));
  const auto resumed = open(4, 1);
  std::filesystem::remove_all(run.checkpoint(5));
  commit(*resumed, run, 5, 5);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"1", "4", "5"}));
  commit(*resumed, run, 6, 5);
  EXPECT_EQ(epochs(), (std::vector<std::string>{"5", "6"}));
}

// Files in the folder of that name on another machine were committed.
TEST_F(RunRecords, WhatIsNotHereIsNotCommitted) {
  const auto recorder = open(std::nullopt);
  std::filesystem::create_directories(run.checkpoint(1));
  CommitRecord record;
  record.epoch = 1;
  record.files = {{"epoch-00000001/partition-0.era-1.sst", 4, {}}};
  const Status missing = recorder->commit(record);
  EXPECT_EQ(missing.code(), ExitCode::disk);
  EXPECT_NE(missing.what().find("--own_disk"), std::string::npos) << missing.what();
  write("run/checkpoint/" + record.files[0].file, "abc");
  EXPECT_EQ(recorder->commit(record).code(), ExitCode::disk) << "it is shorter";
  EXPECT_FALSE(std::filesystem::exists(run.checkpoint(1) / RunFolder::kCommitRecord));
  write("run/checkpoint/" + record.files[0].file, "abcd");
  EXPECT_TRUE(recorder->commit(record).ok());
}

// The file was read as a whole, and refused above 1 GiB.
TEST_F(RunRecords, MetricsOfEpochsThatComeAgainAreDropped) {
  write("run/metrics.jsonl", "{\"epoch\": 1}\n{\"epoch\": 2}\nno json\n{\"epoch\": 3}\n{\"epoch\": 2, \"torn");
  open(2);
  EXPECT_EQ(read(run.metrics()), "{\"epoch\": 1}\n{\"epoch\": 2}\n");
  open(std::nullopt);
  EXPECT_EQ(read(run.metrics()), "");
}

}  // namespace
}  // namespace rota
