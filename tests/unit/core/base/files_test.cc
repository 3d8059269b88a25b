#include "core/base/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "core/base/file_hash.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace {

std::vector<std::string>& synced() {
  static std::vector<std::string> paths;
  return paths;
}

}  // namespace

// Replaces the system's fsync, and records what is made durable.
extern "C" int fsync(int fd) {
  std::error_code ignored;
  synced().push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string());
  return 0;
}

namespace rota {
namespace {

class FilesTest : public TemporaryFolder {
 protected:
  FilesTest() { synced().clear(); }
  static bool was_synced(const std::filesystem::path& path) {
    return std::find(synced().begin(), synced().end(), path.string()) != synced().end();
  }
};

TEST_F(FilesTest, WritesTheWholeFileOnly) {
  ASSERT_TRUE(write_atomically(folder / "a", std::string_view("one")).ok());
  ASSERT_TRUE(write_atomically(folder / "a", std::string_view("two")).ok());
  EXPECT_EQ(read(folder / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(FilesTest, NewFoldersAndCopiesAreDurable) {
  ASSERT_TRUE(make_folder(folder / "a" / "b").ok());
  EXPECT_TRUE(was_synced(folder)) << "or the name of a could be lost";
  EXPECT_TRUE(was_synced(folder / "a"));
  synced().clear();
  ASSERT_TRUE(make_folder(folder / "a" / "b").ok());
  EXPECT_TRUE(synced().empty()) << "it was there";
  write("from", "content");
  ASSERT_TRUE(copy_durably(folder / "from", folder / "to").ok());
  EXPECT_EQ(read(folder / "to"), "content");
  EXPECT_TRUE(was_synced(folder / "to"));
  EXPECT_EQ(copy_durably(folder / "none", folder / "to").code(), ExitCode::cannot_write);
  EXPECT_EQ(copy_durably(folder / "from", folder / "none" / "to").code(), ExitCode::cannot_write);
}

// A pipe in a folder copied from elsewhere blocked its reader forever.
TEST_F(FilesTest, SpecialFilesDoNotBlock) {
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& other : {pipe, std::filesystem::path("/dev/zero"), folder}) {
    const auto read = read_whole_file(other, 1000);
    EXPECT_EQ(read.status().code(), ExitCode::no_input);
    EXPECT_EQ(read.status().what(), "cannot open " + other.string() + ": it is no regular file");
    EXPECT_EQ(hash_file(other).status().code(), ExitCode::disk);
    EXPECT_EQ(filter_lines(other, [](const std::string&) { return true; }).code(), ExitCode::no_input);
    EXPECT_EQ(last_lines(other, 1), "");
    EXPECT_EQ(sync_file(other).code(), ExitCode::disk);
    EXPECT_EQ(open_file(other, O_WRONLY | O_APPEND).status().code(), ExitCode::cannot_write);
  }
  EXPECT_EQ(LineFile::open(pipe).status().code(), ExitCode::cannot_write);
}

TEST_F(FilesTest, ANeededDescriptorIsAwaited) {
  write("a", "content");
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit few = {20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  // The other thread runs before descriptors are short: UBSan needs some to check how it begins.
  enum Stage { starting, running, taken_all };
  std::atomic<Stage> stage = starting;
  std::vector<FileDescriptor> taken;
  std::thread other([&] {
    stage = running;
    stage.notify_one();
    stage.wait(running);
    ::usleep(50'000);
    taken.clear();
  });
  stage.wait(starting);
  while (taken.empty() || taken.back().open()) taken.emplace_back(::open("/dev/null", O_RDONLY));
  stage = taken_all;
  stage.notify_one();
  const auto text = read_whole_file(folder / "a", 1000);
  other.join();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(text.ok()) << text.status().what();
  EXPECT_EQ(*text, "content");
  EXPECT_EQ(cannot_write("a", EMFILE).code(), ExitCode::temporary);
  EXPECT_EQ(cannot_write("a", EFBIG).code(), ExitCode::disk);
}

TEST_F(FilesTest, LinesAreFilteredOneByOne) {
  write("lines", "1\n22\n3\n\n44\ntorn");
  ASSERT_TRUE(filter_lines(folder / "lines", [](const std::string& line) { return line.size() != 2; }).ok());
  EXPECT_EQ(read(folder / "lines"), "1\n3\n\n");
  EXPECT_TRUE(was_synced(folder / "lines.unfinished"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_TRUE(filter_lines(folder / "none", [](const std::string&) { return true; }).ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_F(FilesTest, WritingToAFullDiskIsADiskError) {
  LineFile full = *LineFile::open(folder / "lines");
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const Status status = full.append("x");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.code(), ExitCode::disk);
  EXPECT_TRUE(status.what().ends_with("File too large (the limit of a file's size, ulimit -f)")) << status.what();
}

TEST_F(FilesTest, ReadsUpToTheLimit) {
  write("a", "12345");
  EXPECT_EQ(*read_whole_file(folder / "a", 5), "12345");
  EXPECT_EQ(read_whole_file(folder / "a", 4).status().code(), ExitCode::disk);
  EXPECT_EQ(read_whole_file(folder / "b", 4).status().code(), ExitCode::no_input);
  EXPECT_EQ(read_whole_file(folder, 4).status().code(), ExitCode::no_input);
}

TEST_F(FilesTest, ATailReadsEveryWholeLineOnce) {
  LineTail tail(folder / "lines");
  const auto taken = [&] {
    std::vector<std::string> lines;
    tail.read([&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(taken(), Lines{}) << "there is no file yet";
  write("lines", "one\ntwo\nthr");
  EXPECT_EQ(taken(), (Lines{"one", "two"}));
  EXPECT_EQ(taken(), Lines{});
  // The writer died, and the restarted one cut off the torn line.
  auto lines = LineFile::open(folder / "lines");
  ASSERT_TRUE(lines.ok());
  ASSERT_TRUE(lines->append("x").ok());
  EXPECT_EQ(taken(), Lines{"x"});
  const std::string large(200'000, 'y');
  for (const char* line : {large.c_str(), "", "z"}) ASSERT_TRUE(lines->append(line).ok());
  EXPECT_EQ(taken(), (Lines{large, "", "z"}));
}

TEST_F(FilesTest, ATornLineLongerThanABlockIsCutOff) {
  write("lines", "one\n" + std::string(10'000, 'x'));
  ASSERT_TRUE(LineFile::open(folder / "lines").ok());
  EXPECT_EQ(read(folder / "lines"), "one\n");
  write("lines", std::string(10'000, 'x'));
  ASSERT_TRUE(LineFile::open(folder / "lines").ok());
  EXPECT_EQ(read(folder / "lines"), "");
}

TEST_F(FilesTest, AFolderCannotBeMadeWhereAFileIs) {
  write("a", "");
  EXPECT_EQ(make_folder(folder / "a").code(), ExitCode::cannot_write);
  EXPECT_EQ(make_folder(folder / "a" / "b").code(), ExitCode::cannot_write);
  EXPECT_TRUE(make_folder(folder / "c" / "d").ok());
  EXPECT_TRUE(make_folder(folder / "c" / "d").ok());
}

TEST_F(FilesTest, LastLines) {
  write("a", "one\ntwo\nthree\n");
  EXPECT_EQ(last_lines(folder / "a", 1), "three");
  EXPECT_EQ(last_lines(folder / "a", 2), "two\nthree");
  EXPECT_EQ(last_lines(folder / "a", 9), "one\ntwo\nthree");
  EXPECT_EQ(last_lines(folder / "none", 9), "");
  write("b", "\n\n");
  EXPECT_EQ(last_lines(folder / "b", 2), "");
}

}  // namespace
}  // namespace rota
