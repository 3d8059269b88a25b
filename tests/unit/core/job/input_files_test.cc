#include "core/job/input_files.h"

#include <sys/stat.h>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class InputFilesTest : public TemporaryFolder {
 protected:
  // Names without the folder, joined by blanks, or the exit code.
  std::string found(const std::string& input) {
    const auto files = input_files(input);
    if (!files.ok()) return "exit " + std::to_string(static_cast<int>(files.status().code()));
    std::string all;
    for (const std::string& file : *files) all += (all.empty() ? "" : " ") + file.substr(folder.string().size() + 1);
    return all;
  }
  std::string at(const std::string& name) { return (folder / name).string(); }
};

TEST_F(InputFilesTest, AFileAFolderAPatternAList) {
  for (const char* name : {"d/b.txt", "d/a.txt", "d/.hidden", "d/c.gz", "d/sub/x.txt"}) write(name, "1");
  EXPECT_EQ(found(at("d/b.txt")), "d/b.txt");
  EXPECT_EQ(found(at("d")), "d/a.txt d/b.txt d/c.gz");
  EXPECT_EQ(found(at("d/*.txt")), "d/a.txt d/b.txt");
  EXPECT_EQ(found(at("d/[ab].txt")), "d/a.txt d/b.txt");
  EXPECT_EQ(found(at("d/c.gz") + "," + at("d/a.txt") + ","), "d/c.gz d/a.txt");
}

TEST_F(InputFilesTest, ANameWithACommaMayBeAFile) {
  write("a,b", "1");
  EXPECT_EQ(found(at("a,b")), "a,b");
}

TEST_F(InputFilesTest, DataByShardIsNoText) {
  for (const char* name : {"d/common.rota-shard", "e/rota-shards.json", "f/shard-00003.rota-shard"}) write(name, "1");
  for (const char* input : {"d", "e", "f", "f/shard-00003.rota-shard", "d/*"}) EXPECT_EQ(found(at(input)), "exit 65");
}

TEST_F(InputFilesTest, AMissingPathIsNoInput) {
  std::filesystem::create_directories(folder / "empty" / "sub");
  write("a", "1");
  for (const char* name : {"none", "empty", "*.csv", "none/a", "a/b"}) EXPECT_EQ(found(at(name)), "exit 66") << name;
  EXPECT_EQ(found(at("a") + "," + at("none")), "exit 66");
  EXPECT_EQ(found(""), "exit 66");
  EXPECT_EQ(found(","), "exit 66");
}

// Each worker read a part of a pipe, and the model changed with every run.
TEST_F(InputFilesTest, DataMustBeReadableTwice) {
  write("d/a", "1");
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(data_files(at("d")).ok());
  EXPECT_TRUE(input_files(at("pipe")).ok()) << "a command that reads once may";
  const auto pipe = data_files(at("pipe"));
  EXPECT_EQ(pipe.status().code(), ExitCode::no_input);
  EXPECT_EQ(pipe.status().what(), "input " + at("pipe") + ": is not a file that can be read more than once");
  EXPECT_EQ(data_files("/dev/zero").status().code(), ExitCode::no_input);
  EXPECT_TRUE(data_files("/dev/null").ok());
  const std::vector<Option> table = {{.name = "vocab", .kind = Option::Kind::path}, {.name = "note"}};
  const auto check = [&](const std::string& vocab) {
    return check_paths(Options({{"vocab", vocab}, {"note", at("pipe")}}), table);
  };
  for (const std::string& fine : {at("d/a"), at("d"), at("none"), std::string()}) EXPECT_TRUE(check(fine).ok()) << fine;
  EXPECT_EQ(check(at("pipe")).what(), "--vocab=" + at("pipe") + ": is not a file that can be read more than once");
}

TEST_F(InputFilesTest, NoFileOfAFolderIsSkipped) {
  write("d/a", "1");
  std::filesystem::create_symlink("a", folder / "d" / "b");
  EXPECT_EQ(found(at("d")), "d/a d/b");
  std::filesystem::create_symlink("not here", folder / "d" / "c");
  EXPECT_EQ(found(at("d")), "exit 66");
  std::filesystem::remove(folder / "d" / "c");
  ASSERT_EQ(::mkfifo(at("d/pipe").c_str(), 0600), 0);
  EXPECT_EQ(found(at("d")), "exit 66");
}

TEST_F(InputFilesTest, MadeAbsolute) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(absolute_input("-"), "-");
  EXPECT_EQ(absolute_input("a/../b"), here + "/b");
  EXPECT_EQ(absolute_input("a,/c/*.gz"), here + "/a,/c/*.gz");
}

}  // namespace
}  // namespace rota
