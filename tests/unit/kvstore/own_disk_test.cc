#include "kvstore/checkpoints.h"
#include "tests/sim/memory_checkpoints.h"
#include "tests/unit/core/runtime/node_stage.h"

namespace rota {
namespace {

class OnItsOwnDisk : public ::testing::Test, protected tests::NodeStage {
 protected:
  OnItsOwnDisk() : NodeStage({Role::partition, 0}) {}

  HashedFile make(sim::MemoryDisk& disk, Epoch epoch) {
    std::string name;
    const std::shared_ptr<sim::MemoryDisk> borrowed(&disk, [](auto*) {});
    const auto written = sim::MemoryCheckpoints(borrowed, 1).write(epoch, 0, {{}, Rows({})}, name);
    return {name, written->bytes, written->hash};
  }
  void get(const HashedFile& file) {
    EXPECT_TRUE(act([&](Outbox& out) { own_.get(1, file, out, [this](Outbox&) { return ++there_, Status(); }); }).ok());
  }
  Status take(const Chunk& chunk) {
    return act([&](Outbox& out) { return own_.take(chunk, out); });
  }
  Status give(const AskChunk& ask) {
    return act([&](Outbox& out) { return own_.give(ask, out); });
  }
  std::ptrdiff_t files() const {
    const std::vector<std::string> names = disk_->names();
    return std::count_if(names.begin(), names.end(), [](const auto& name) { return name.ends_with(".sst"); });
  }
  void wrote(Epoch epoch, const HashedFile& file) {
    EXPECT_TRUE(act([&](Outbox& out) { own_.wrote(epoch, file, out); }).ok());
  }

  std::shared_ptr<sim::MemoryContents> contents_ = std::make_shared<sim::MemoryContents>();
  std::shared_ptr<sim::MemoryDisk> disk_ = std::make_shared<sim::MemoryDisk>(contents_);
  sim::MemoryDisk theirs_{contents_};  // the coordinator's
  OwnDisk own_{0, std::make_shared<sim::MemoryChunkFiles>(disk_), {16, 2, 1}};
  int there_ = 0;
};

TEST_F(OnItsOwnDisk, WhatIsThereIsNotAskedFor) {
  get(make(*disk_, 1));
  EXPECT_EQ(there_, 1);
  EXPECT_TRUE(envelopes.empty());
}

TEST_F(OnItsOwnDisk, WhatIsMissingOrDamagedComesFromTheCoordinator) {
  const HashedFile file = make(theirs_, 1);
  make(*disk_, 1);  // of the same name with another content
  get(file);
  EXPECT_EQ(there_, 0);
  const std::span<const std::byte> all = *theirs_.find(file.file);
  for (std::size_t i = 0; i < sent<AskChunk>(kCoordinator).size(); ++i) {
    const AskChunk ask = sent<AskChunk>(kCoordinator)[i];
    const auto run = all.subspan(ask.at, ask.bytes);
    ASSERT_TRUE(take({ask.file, ask.at, Bytes::from({run.begin(), run.end()})}).ok());
  }
  EXPECT_EQ(there_, 1);
  EXPECT_TRUE(sim::MemoryChunkFiles(disk_).has(file));
  EXPECT_EQ(take({file.file, 0, {}}).code(), ExitCode::bug) << "it has all";
}

TEST_F(OnItsOwnDisk, WhatComesDamagedIsAnErrorOfTheDisk) {
  const HashedFile file = make(theirs_, 1);
  get(file);
  Status status;
  for (std::size_t i = 0; i < sent<AskChunk>(kCoordinator).size() && status.ok(); ++i) {
    const AskChunk ask = sent<AskChunk>(kCoordinator)[i];
    status = take({ask.file, ask.at, Bytes::from(std::vector<std::byte>(ask.bytes))});
  }
  EXPECT_EQ(status.code(), ExitCode::disk);
  EXPECT_EQ(there_, 0);
}

TEST_F(OnItsOwnDisk, OnlyWhatWasWrittenIsGiven) {
  const HashedFile old = make(*disk_, 1), file = make(*disk_, 2);
  EXPECT_EQ(give({file.file, 0, 1}).code(), ExitCode::bug) << "nothing was written yet";
  wrote(1, old);
  wrote(2, file);
  ASSERT_TRUE(give({file.file, 2, 5}).ok());
  const auto chunks = sent<Chunk>(kCoordinator);
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(hash128(chunks[0].bytes.view()), hash128(std::span(*disk_->find(file.file)).subspan(2, 5)));
  EXPECT_EQ(give({old.file, 0, 1}).code(), ExitCode::bug);
  EXPECT_EQ(give({"/etc/passwd", 0, 1}).code(), ExitCode::bug);
  EXPECT_EQ(give({file.file, file.bytes, 1}).code(), ExitCode::bug);
}

// A committed checkpoint must stay: the newest may be uncommitted, the one before it is committed.
TEST_F(OnItsOwnDisk, TheNewestTwoAreKept) {
  get(make(*disk_, 1));
  for (const Epoch epoch : {2U, 4U, 5U}) {
    wrote(epoch, make(*disk_, epoch));
    EXPECT_EQ(files(), 2) << epoch;
  }
  EXPECT_NE(disk_->find(sim::memory_file(4, 0, 1)), nullptr);
  EXPECT_NE(disk_->find(sim::memory_file(5, 0, 1)), nullptr);
}

}  // namespace
}  // namespace rota
