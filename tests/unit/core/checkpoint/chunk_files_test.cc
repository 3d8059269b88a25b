#include "core/checkpoint/chunk_files.h"

#include "core/job/run_folder.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return Bytes::from({view.begin(), view.end()});
}

class FilesInChunks : public TemporaryFolder {
 protected:
  static constexpr const char* kFile = "epoch-00000003/partition-1.era-2.sst";
  static HashedFile file(const std::string& text) { return {kFile, text.size(), hash128(text)}; }
  std::filesystem::path path() const { return RunFolder{folder}.checkpoint() / kFile; }

  std::shared_ptr<ChunkFiles> files_ = disk_chunk_files(folder);
};

TEST_F(FilesInChunks, MayArriveInAnyOrder) {
  ASSERT_TRUE(files_->write(kFile, 4, bytes_of("efg")).ok());
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("abcd")).ok());
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(files_->has(file("abcdefg")));
  const Status done = files_->finish(file("abcdefg"));
  ASSERT_TRUE(done.ok()) << done.what();
  EXPECT_EQ(read(path()), "abcdefg");
  EXPECT_TRUE(files_->has(file("abcdefg")));
  const auto part = files_->read(kFile, 2, 3);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(hash128(part->view()), hash128(std::string("cde")));
}

TEST_F(FilesInChunks, WithAWrongHashGetNoName) {
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("abcx")).ok());
  const Status done = files_->finish(file("abcd"));
  EXPECT_EQ(done.code(), ExitCode::disk);
  EXPECT_NE(done.what().find(kFile), std::string::npos) << done.what();
  EXPECT_FALSE(std::filesystem::exists(path()));
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("abcdx")).ok());
  EXPECT_EQ(files_->finish(file("abcd")).code(), ExitCode::disk) << "it is longer";
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("abcd")).ok());
  EXPECT_TRUE(files_->finish(file("abcd")).ok()) << "nothing is left of the attempts before";
  EXPECT_EQ(read(path()), "abcd");
}

// A process that was declared lost and its replacement wrote into one file: neither had all of it.
TEST_F(FilesInChunks, OfTwoWritersDoNotMix) {
  const auto other = disk_chunk_files(folder);
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("ab")).ok());
  ASSERT_TRUE(other->write(kFile, 2, bytes_of("cd")).ok());
  ASSERT_TRUE(files_->write(kFile, 2, bytes_of("cd")).ok());
  ASSERT_TRUE(files_->finish(file("abcd")).ok());
  ASSERT_TRUE(other->write(kFile, 0, bytes_of("ab")).ok());
  EXPECT_TRUE(other->finish(file("abcd")).ok());
  EXPECT_EQ(read(path()), "abcd");
}

TEST_F(FilesInChunks, UnfinishedHaveNamesOfRota) {
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("ab")).ok());
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path().parent_path())) {
    ++count;
    EXPECT_TRUE(RunFolder::is_of_epoch(entry.path().filename().string())) << entry.path();
  }
  EXPECT_EQ(count, 1);
}

TEST_F(FilesInChunks, DamagedOrShorterAreMissing) {
  write(std::string("checkpoint/") + kFile, "abcd");
  EXPECT_TRUE(files_->has(file("abcd")));
  EXPECT_FALSE(files_->has(file("abce")));
  EXPECT_FALSE(files_->has(file("abc")));
  EXPECT_EQ(files_->read(kFile, 3, 2).status().code(), ExitCode::disk);
  EXPECT_EQ(files_->read("epoch-00000004/partition-1.era-2.sst", 0, 1).status().code(), ExitCode::disk);
}

TEST_F(FilesInChunks, AreNotWrittenThroughLinks) {
  const std::string victim = write("victim", "precious");
  std::filesystem::create_directories(path().parent_path());
  std::filesystem::create_symlink(victim, path());
  EXPECT_EQ(files_->read(kFile, 0, 4).status().code(), ExitCode::disk) << "nor read";
  ASSERT_TRUE(files_->write(kFile, 0, bytes_of("abcd")).ok());
  ASSERT_TRUE(files_->finish(file("abcd")).ok());
  EXPECT_EQ(read(victim), "precious");
  EXPECT_EQ(read(path()), "abcd");
}

TEST_F(FilesInChunks, OnlyOldOnesAreRemoved) {
  const std::string start = "checkpoint/epoch-0000000";
  for (const char* name :
       {"1/partition-1.era-1.sst", "1/partition-0.era-1.sst", "1/partition-11.era-1.sst",
        "2/partition-1.era-1.sst.unfinished", "2/notes", "3/partition-1.era-2.sst", "4/partition-1.era-2.sst"})
    write(start + name, "x");
  files_->drop_before(1, 3);
  const auto there = [&](const char* name) { return std::filesystem::exists(folder / (start + name)); };
  EXPECT_FALSE(there("1/partition-1.era-1.sst"));
  EXPECT_FALSE(there("2/partition-1.era-1.sst.unfinished"));
  for (const char* name : {"1/partition-0.era-1.sst", "1/partition-11.era-1.sst", "2/notes", "3/partition-1.era-2.sst",
                           "4/partition-1.era-2.sst"})
    EXPECT_TRUE(there(name)) << name;
  files_->drop_before(0, 3);
  files_->drop_before(11, 3);
  EXPECT_FALSE(there("1")) << "it is empty";
  EXPECT_TRUE(there("2/notes"));
}

}  // namespace
}  // namespace rota
