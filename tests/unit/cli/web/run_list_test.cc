#include "cli/web/run_list.h"

#include <chrono>

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class RunListTest : public RunFiles {
 protected:
  std::unique_ptr<RunList> open(const std::string& what) {
    auto list = RunList::open(folder / what, {});
    EXPECT_TRUE(list.ok()) << list.status().what();
    return list.ok() ? *std::move(list) : nullptr;
  }
  static std::vector<std::string> names(RunList& list) {
    std::vector<std::string> names;
    const Json all = list.all();
    for (const Json& run : all["runs"]) names.push_back(run["name"]);
    return names;
  }
};

TEST_F(RunListTest, AFolderIsARunOrHasRunsAlsoLater) {
  std::filesystem::create_directories(folder / "runs/notes");
  const auto list = open("runs");
  EXPECT_EQ(names(*list).size(), 0U);
  make_run("runs/one run", 1);
  make_run("runs/caf\xe9", 2);
  std::filesystem::last_write_time(folder / "runs/one run/events.jsonl",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(names(*list), (std::vector<std::string>{"one run", "caf\\xe9"})) << "the one that changed last first";
  EXPECT_EQ(list->find("caf\\xe9")->brief()["epoch"], 2);
  EXPECT_EQ(names(*open("runs/one run")), std::vector<std::string>{"one run"});
  for (const char* missing : {"none", "runs/one run/flags.txt"})
    EXPECT_EQ(RunList::open(folder / missing, {}).status().code(), ExitCode::no_input);
}

TEST_F(RunListTest, RunsThatAreNamedHaveNamesOfTheirOwn) {
  for (const char* run : {"a/run 10", "a/run 9", "b/run 9"}) make_run(run, 1);
  const std::string a = folder / "a", b = folder / "b/run 9";
  const auto runs = runs_in({b, a}, "report", 3);
  ASSERT_TRUE(runs.ok()) << runs.status().what();
  std::vector<std::string> shown;
  for (const NamedRun& run : *runs) shown.push_back(run.shown);
  EXPECT_EQ(shown, (std::vector<std::string>{"run 9", "run 9 (2)", "run 10"}));
  EXPECT_EQ(runs->front().list->folder("run 9"), std::filesystem::canonical(b));
  EXPECT_EQ(runs_in({a, b}, "report", 2).status().code(), ExitCode::usage);
  EXPECT_EQ(runs_in({"tcp://127.0.0.1:1"}, "report", 3).status().code(), ExitCode::usage);
}

// A name could lead to any file of the user's.
TEST_F(RunListTest, NamesDoNotLeadOutOfTheFolder) {
  make_run("outside", 1);
  make_run("runs/inside", 1);
  std::filesystem::create_directory_symlink(folder / "outside", folder / "runs/link");
  std::filesystem::create_directory_symlink(folder / "runs/inside", folder / "runs/again");
  const auto list = open("runs");
  EXPECT_EQ(names(*list), (std::vector<std::string>{"again", "inside"}));
  EXPECT_EQ(list->all()["left_out"][0], "link: a link that leads out of the folder");
  for (const char* name : {"link", "..", ".", "", "../outside", "inside/..", "inside/", "/", "inside/../../outside"}) {
    EXPECT_EQ(list->find(name), nullptr) << name;
    EXPECT_FALSE(list->folder(name)) << name;
  }
  EXPECT_NE(list->find("inside"), nullptr);
}

TEST_F(RunListTest, RunsThatHaveEndedAreReadAgainWhenTheyChange) {
  make_run("runs/a", 1);
  append("runs/a/events.jsonl", R"({"event":"end","time":2000,"exit":1,"what":"failed"})");
  const auto list = open("runs");
  EXPECT_EQ(list->all()["runs"][0]["state"], "ended");
  EXPECT_EQ(list->all()["runs"][0]["epoch"], 1);
  add_epoch("runs/a", 2);
  append("runs/a/events.jsonl", R"({"event":"end","time":2001,"exit":1,"what":"failed"})");
  EXPECT_EQ(list->all()["runs"][0]["epoch"], 2);
  write("runs/a/result.json", R"({"epochs":2})");
  EXPECT_EQ(list->all()["runs"][0]["state"], "done");
}

TEST_F(RunListTest, ManyRunsDoNotKeepTheirFilesOpen) {
  for (int i = 0; i < 100; ++i) make_run("runs/" + std::to_string(i), 1);
  const auto list = open("runs");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(list->find(std::to_string(i))->brief()["epoch"], 1);
  int open_files = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) open_files += !file.path().empty();
  EXPECT_LT(open_files, 100);
  EXPECT_EQ(list->all()["runs"].size(), 100U);
}

}  // namespace
}  // namespace rota
