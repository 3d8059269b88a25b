#include "cli/web/fresh_model.h"

#include <cstdlib>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

// With a script in the place of `rota`, which writes how often it was started.
class FreshModelTest : public TemporaryFolder {
 protected:
  FreshModelTest() {
    std::filesystem::create_directory(folder / "tmp");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
  }
  ~FreshModelTest() override {
    ::unsetenv("TMPDIR");
    EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
  }
  std::string script(const std::string& rest) {
    const std::string file =
        write("rota", "#!/bin/sh\necho \"$1 $2 $3\" >> '" + (folder / "started").string() + "'\n" + rest);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::string started() const { return read(folder / "started"); }
};

TEST_F(FreshModelTest, IsWhatTheExportWrote) {
  FreshModel fresh(script(R"shell(
mkdir "${4#--output=}"
printf 'n\n1\n' > "${4#--output=}/x.csv"
printf 'words\n' > "${4#--output=}/README.txt"
echo 'rota: the run is not done: this is the model of its newest checkpoint, epoch 7' >&2
)shell"));
  const Json expected = Json::parse(R"({"tables":[{"name":"x.csv","columns":["n"],"rows":[[1]]}],"epoch":7})");
  const auto model = fresh.of("/runs/an a", "lda");
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_EQ(*model, expected);
  EXPECT_EQ(*fresh.of("/runs/an a", "lda"), expected);
  EXPECT_EQ(fresh.of("/runs/b", "lda").status().code(), ExitCode::temporary) << "one in ten seconds";
  EXPECT_EQ(started(), "export lda --model=/runs/an a\n");
}

TEST_F(FreshModelTest, SimilarItemsAreWhatTheCommandPrints) {
  FreshModel fresh(
      script("echo \"$4 $5\" >> '" + (folder / "started").string() + "'\nprintf 'item,cosine\\nb,0.5\\n'\n"));
  const auto table = fresh.similar("/runs/a", "mf", "it's; rm -rf x");
  ASSERT_TRUE(table.ok()) << table.status().what();
  EXPECT_EQ(*table, Json::parse(R"({"name":"similar.csv","columns":["item","cosine"],"rows":[["b",0.5]]})"));
  EXPECT_EQ(started(), "similar mf --model=/runs/a\n--item=it's; rm -rf x --top=30\n");
  EXPECT_EQ(fresh.similar("/runs/a", "mf", "c").status().code(), ExitCode::temporary) << "one in a second";
  FreshModel other(script("echo 'rota: the model has no item x' >&2\nexit 2\n"));
  EXPECT_EQ(other.similar("/runs/a", "mf", "x").status().what(), "rota: the model has no item x");
}

TEST_F(FreshModelTest, FailsAsTheExportDoes) {
  FreshModel fresh(script("echo 'rota: no checkpoint yet' >&2\nexit 66\n"));
  const Status status = fresh.of("/runs/a", "lda").status();
  EXPECT_EQ(status.code(), ExitCode::no_input);
  EXPECT_EQ(status.what(), "rota: no checkpoint yet");
}

TEST_F(FreshModelTest, RunsNoAppThatTheRunNamesByItsPath) {
  for (const char* app : {"", "/tmp/app.so", "--help"})
    EXPECT_EQ(FreshModel(script("")).of("/runs/a", app).status().code(), ExitCode::usage) << app;
  EXPECT_EQ(started(), "");
}

}  // namespace
}  // namespace rota
