// Copies of checkpoint files on the partitions' own disks; the test plays the
// partitions.
#include "core/checkpoint/copies.h"

#include "tests/sim/memory_checkpoints.h"
#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

// Three files on a disk that the coordinator does not see.
class CopiesOfFiles : public ::testing::Test, protected NodeStage {
 protected:
  CopiesOfFiles() : NodeStage(kCoordinator) {
    for (std::uint32_t p = 0; p < 3; ++p) {
      std::string name;
      const auto written = sim::MemoryCheckpoints(there_).write(1, p, {{}, Rows({})}, name);
      files_.push_back({name, written->bytes, written->hash});
    }
    make({8, 2, 2});
  }
  void make(const CopyLimits& limits) {
    copies_ = std::make_unique<Copies>(std::make_shared<sim::MemoryChunkFiles>(here_), limits,
                                       [this](const Status& status, Outbox&) {
                                         reports_.push_back(status.what());
                                         return Status();
                                       });
  }
  void begin(std::uint32_t p) {
    EXPECT_TRUE(act([&](Outbox& out) { copies_->begin({Role::partition, p}, files_[p], out); }).ok());
  }
  std::vector<AskChunk> asked(std::uint32_t p) { return sent<AskChunk>({Role::partition, p}); }
  bool add(std::uint32_t p, const Chunk& chunk) {
    bool taken = false;
    EXPECT_TRUE(act([&](Outbox& out) {
                  return taken = copies_->add({Role::partition, p}, chunk, out), Status();
                }).ok());
    return taken;
  }
  Chunk chunk_of(const AskChunk& ask) {
    return {ask.file, ask.at, *sim::MemoryChunkFiles(there_).read(ask.file, ask.at, ask.bytes)};
  }
  // The partition answers all requests.
  void answer_all(std::uint32_t p) {
    for (std::size_t i = 0; i < asked(p).size(); ++i) EXPECT_TRUE(add(p, chunk_of(asked(p)[i])));
  }

  std::shared_ptr<sim::MemoryContents> contents_ = std::make_shared<sim::MemoryContents>();
  std::shared_ptr<sim::MemoryDisk> there_ = std::make_shared<sim::MemoryDisk>(contents_);
  std::shared_ptr<sim::MemoryDisk> here_ = std::make_shared<sim::MemoryDisk>(contents_);
  std::vector<HashedFile> files_;
  std::vector<std::string> reports_;
  std::unique_ptr<Copies> copies_;
};

TEST_F(CopiesOfFiles, AreDurableBeforeTheyAreReported) {
  EXPECT_TRUE(copies_->complete());
  begin(0);
  EXPECT_FALSE(copies_->complete());
  EXPECT_EQ(asked(0).size(), 2U) << "at most its limit";
  answer_all(0);
  EXPECT_TRUE(copies_->complete());
  EXPECT_EQ(reports_, std::vector<std::string>{""});
  EXPECT_TRUE(sim::MemoryChunkFiles(here_).has(files_[0]));
  EXPECT_FALSE(copies_->busy());
}

TEST_F(CopiesOfFiles, AreLimitedInNumber) {
  for (std::uint32_t p = 0; p < 3; ++p) begin(p);
  EXPECT_FALSE(asked(1).empty());
  EXPECT_TRUE(asked(2).empty());
  answer_all(1);
  EXPECT_FALSE(asked(2).empty());
  answer_all(0);
  EXPECT_FALSE(copies_->complete());
  answer_all(2);
  EXPECT_TRUE(copies_->complete());
  EXPECT_EQ(reports_.size(), 3U);
}

TEST_F(CopiesOfFiles, WithAnotherContentAreReported) {
  begin(0);
  for (std::size_t i = 0; i < asked(0).size(); ++i) {
    Chunk chunk = chunk_of(asked(0)[i]);
    chunk.bytes = Bytes::from(std::vector<std::byte>(chunk.bytes.size()));
    EXPECT_TRUE(add(0, chunk));
  }
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_NE(reports_[0].find(files_[0].file), std::string::npos) << reports_[0];
  EXPECT_FALSE(sim::MemoryChunkFiles(here_).has(files_[0]));
}

// ---- in a run ----

class RunWithADiskApart : public ::testing::Test {
 protected:
  static RunPlan plan(const std::shared_ptr<sim::MemoryDisk>& here) {
    RunPlan plan = small_plan();
    plan.era = 3;
    if (here != nullptr) plan.checkpoints = std::make_shared<sim::MemoryChunkFiles>(here);
    return plan;
  }
  // Up to the partition's WRITTEN.
  static void train(Script& run) {
    run.prepare();
    run.train(1, 2.5);
    run.put(1);
  }
  Written written(const Script& run) {
    Written report = run.written(1);
    const auto file = sim::MemoryCheckpoints(there_, 3).write(1, 0, {{}, Rows({})}, report.file);
    report.file_bytes = file->bytes;
    report.file_hash = file->hash;
    report.apart = true;
    return report;
  }

  std::shared_ptr<sim::MemoryContents> contents_ = std::make_shared<sim::MemoryContents>();
  std::shared_ptr<sim::MemoryDisk> there_ = std::make_shared<sim::MemoryDisk>(contents_);
  std::shared_ptr<sim::MemoryDisk> here_ = std::make_shared<sim::MemoryDisk>(contents_);
};

TEST_F(RunWithADiskApart, AnEpochIsCommittedWhenTheCopyIsHere) {
  Script run(plan(here_));
  train(run);
  const Written report = written(run);
  run.receive(kPartition, report);
  EXPECT_TRUE(run.diary->commits.empty());
  for (std::size_t i = 0; i < run.sent<AskChunk>(kPartition).size(); ++i) {
    EXPECT_TRUE(run.diary->commits.empty());
    const AskChunk ask = run.sent<AskChunk>(kPartition)[i];
    run.receive(kPartition, Chunk{ask.file, ask.at, *sim::MemoryChunkFiles(there_).read(ask.file, ask.at, ask.bytes)});
  }
  ASSERT_EQ(run.diary->commits.size(), 1U);
  EXPECT_TRUE(sim::MemoryChunkFiles(here_).has(run.diary->commits[0].files.at(0)));
  EXPECT_EQ(run.ended->code, ExitCode::ok);
}

TEST_F(RunWithADiskApart, AFileOfAnotherNameEndsTheRun) {
  for (const char* name : {"../evil", "epoch-00000001/partition-1.era-3.sst", "epoch-00000002/partition-0.era-3.sst",
                           "epoch-00000001/partition-0.era-2.sst", "epoch-00000001/commit.json"}) {
    Script run(plan(here_));
    train(run);
    Written report = written(run);
    report.file = name;
    run.receive(kPartition, report);
    ASSERT_TRUE(run.ended_with(ExitCode::bug)) << name;
    EXPECT_TRUE(run.sent<AskChunk>(kPartition).empty()) << name;
  }
}

TEST_F(RunWithADiskApart, AnUnrequestedChunkEndsTheRun) {
  Script run(plan(here_));
  train(run);
  run.receive(kPartition, Chunk{"epoch-00000001/partition-0.era-3.sst", 0, {}});
  ASSERT_TRUE(run.ended_with(ExitCode::bug));
}

TEST_F(RunWithADiskApart, OnlyTheFileToResumeIsGiven) {
  const auto resumed = [&] {
    RunPlan plan = this->plan(here_);
    plan.epochs = 2;
    CommitRecord commit;
    commit.epoch = 1;
    std::string name;
    const auto file = sim::MemoryCheckpoints(here_, 2).write(1, 0, {{}, Rows({})}, name);
    commit.files = {{name, file->bytes, file->hash}};
    plan.resume = commit;
    return plan;
  }();
  const std::string name = resumed.resume->files[0].file;
  Script run(resumed);
  run.join();
  run.receive(kPartition, AskChunk{name, 1, 4});
  ASSERT_EQ(run.sent<Chunk>(kPartition).size(), 1U);
  EXPECT_EQ(run.sent<Chunk>(kPartition)[0].bytes.size(), 4U);
  EXPECT_FALSE(run.ended.has_value());
  for (const AskChunk& wrong : {AskChunk{"epoch-00000001/commit.json", 0, 1}, AskChunk{name, 0, 1'000'000},
                                AskChunk{name, 1'000'000, 1}, AskChunk{name, 0, 0}}) {
    Script other(resumed);
    other.join();
    other.receive(kPartition, wrong);
    ASSERT_TRUE(other.ended_with(ExitCode::bug)) << wrong.file << " " << wrong.at << " " << wrong.bytes;
    EXPECT_TRUE(other.sent<Chunk>(kPartition).empty());
  }
}

}  // namespace
}  // namespace rota::tests
