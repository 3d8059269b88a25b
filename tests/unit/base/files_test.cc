#include "base/files.h"

#include <sys/stat.h>

#include "tests/unit/base/temporary_folder.h"

namespace rota {
namespace {

using FilesTest = TemporaryFolder;

TEST_F(FilesTest, WritesTheWholeFileAndLeavesNothingElse) {
  ASSERT_TRUE(write_atomically(folder / "a", std::string_view("one")).ok());
  ASSERT_TRUE(write_atomically(folder / "a", std::string_view("two")).ok());
  EXPECT_EQ(read(folder / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(FilesTest, WritingIntoAMissingFolderIsCannotWrite) {
  const Status status = write_atomically(folder / "none" / "a", std::string_view("x"));
  EXPECT_EQ(status.code(), ExitCode::cannot_write);
  EXPECT_NE(status.what().find("none/a"), std::string::npos);
}

TEST_F(FilesTest, WritingToAFullDiskIsADiskError) {
  LineFile full = *LineFile::open("/dev/full");
  EXPECT_EQ(full.append("x").code(), ExitCode::disk);
}

TEST_F(FilesTest, ReadsUpToTheLimitAndNoFurther) {
  write("a", "12345");
  EXPECT_EQ(*read_whole_file(folder / "a", 5), "12345");
  EXPECT_EQ(read_whole_file(folder / "a", 4).status().code(), ExitCode::disk);
  EXPECT_EQ(read_whole_file(folder / "b", 4).status().code(), ExitCode::no_input);
  EXPECT_EQ(read_whole_file(folder, 4).status().code(), ExitCode::disk);
}

TEST_F(FilesTest, LinesAreAppendedAndATornOneIsCutOff) {
  write("lines", "one\ntwo\nthr");
  auto lines = LineFile::open(folder / "lines");
  ASSERT_TRUE(lines.ok());
  ASSERT_TRUE(lines->append("three").ok());
  ASSERT_TRUE(lines->sync().ok());
  EXPECT_EQ(read(folder / "lines"), "one\ntwo\nthree\n");
}

TEST_F(FilesTest, ATornLineLongerThanABlockIsCutOff) {
  write("lines", "one\n" + std::string(10'000, 'x'));
  ASSERT_TRUE(LineFile::open(folder / "lines").ok());
  EXPECT_EQ(read(folder / "lines"), "one\n");
  write("lines", std::string(10'000, 'x'));
  ASSERT_TRUE(LineFile::open(folder / "lines").ok());
  EXPECT_EQ(read(folder / "lines"), "");
}

TEST_F(FilesTest, APrivateFolderIsForItsOwnerOnly) {
  const auto made = make_private_folder(folder, "p-");
  ASSERT_TRUE(made.ok());
  struct stat facts = {};
  ASSERT_EQ(::stat(made->c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
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
