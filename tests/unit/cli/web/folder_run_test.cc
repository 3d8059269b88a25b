#include "cli/web/folder_run.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <chrono>
#include <cstdio>

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class FolderRunTest : public RunFiles {
 protected:
  FolderRun run{RunFolder{folder / "run"}, "run"};
};

TEST_F(FolderRunTest, TheStateIsThatOfTheFiles) {
  EXPECT_FALSE(has_run(folder / "run"));
  make_run("run", 3);
  EXPECT_TRUE(has_run(folder / "run"));
  EXPECT_EQ(state(run), "stale") << "no process holds it, and it has no end";
  {
    const FileDescriptor held = hold("run");
    EXPECT_EQ(state(run), "running");
    EXPECT_EQ(run.brief()["state_text"], "running, phase training");
    append("run/events.jsonl", R"({"event":"lost","time":1010,"role":"worker-1","pid":"8","why":"killed"})");
    EXPECT_EQ(state(run), "running");
    EXPECT_EQ(run.brief()["state_text"], "running, phase training; missing: worker-1");
    append("run/events.jsonl", R"({"event":"joined","time":1011,"role":"worker-1","pid":9,"host":"a"})");
    append("run/events.jsonl", R"({"event":"end","time":1012,"exit":75,"what":"worker-0 was lost"})");
  }
  EXPECT_EQ(state(run), "ended");
  EXPECT_EQ(run.brief()["exit"], 75);
  EXPECT_EQ(run.brief()["state_text"], "ended, exit code 75: worker-0 was lost; `rota resume` continues it");
  append("run/events.jsonl", R"({"event":"resume","time":1020,"epoch":2})");
  EXPECT_EQ(state(run), "stale") << "an end that a next start follows is none";
  write("run/result.json", R"({"app":"lda","epochs":3,"seconds":2.5,"model_hash":"abc"})");
  EXPECT_EQ(state(run), "done");
  EXPECT_EQ(run.brief()["model_hash"], "abc");
}

TEST_F(FolderRunTest, ACoordinatorElsewhereIsBelievedForAWhile) {
  make_run("run", 1);
  write("run/address", "tcp://node7:4711\n");
  EXPECT_EQ(state(run), "running");
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"run/events.jsonl", "run/metrics.jsonl", "run/flags.txt"})
    std::filesystem::last_write_time(folder / name, old);
  EXPECT_EQ(state(run), "stale");
  write("run/address", "ipc:///tmp/x\n");
  EXPECT_EQ(state(run), "stale") << "one of this machine would hold the lock";
}

TEST_F(FolderRunTest, WhatOneSeesAtAGlance) {
  make_run("run", 3);
  run.update();
  const Json brief = run.brief();
  EXPECT_EQ(brief["epoch"], 3);
  EXPECT_EQ(brief["epochs"], 10);
  EXPECT_EQ(brief["objective"], -97.25);
  EXPECT_EQ(brief["time"], 1003.5);
  EXPECT_EQ(brief["checkpoint"], (Json{{"epoch", 2}, {"time", 1003.0}}));
  EXPECT_EQ(brief["hosts"], Json::parse(R"([["worker-0","0 to 3"],["worker-1","4 to 7"]])"));
  EXPECT_EQ(brief["workers"], 2);
  EXPECT_EQ(brief["shards"], 8);
  EXPECT_EQ(run.facts()["options"]["input"], "/data/caf\\xe9=1");
  append("run/events.jsonl", R"({"event":"lost","time":1004,"role":"worker-1","why":"gone"})");
  append("run/events.jsonl", R"({"event":"hosts","time":1005,"role":"worker-0","shards":"0 to 7"})");
  run.update();
  EXPECT_EQ(run.brief()["hosts"], Json::parse(R"([["worker-0","0 to 7"]])")) << "an assignment replaces the one before";
}

// Lines by which a page would get nothing but an error.
TEST_F(FolderRunTest, WrongLinesAreLeftOutAndNamed) {
  make_run("run", 2);
  append("run/metrics.jsonl", "not JSON");
  append("run/metrics.jsonl", "{\"epoch\":3,\"name\":\"\xff\"}");
  append("run/metrics.jsonl", "5");
  append("run/metrics.jsonl", R"({"epoch":4,"objective":null,"valid":null,"of_a_later_version":{"é":[1,{}]}})");
  append("run/events.jsonl", "{\"event\":\"torn\"");
  std::ofstream(folder / "run/metrics.jsonl", std::ios::app) << "{\"epoch\":5,\"obj";
  run.update();
  const Json whole = Json::parse(run.whole(100));
  EXPECT_EQ(whole["metrics"]["lines"], 6);
  ASSERT_EQ(whole["metrics"]["records"].size(), 3U);
  EXPECT_EQ(whole["metrics"]["records"][2]["of_a_later_version"]["é"][0], 1);
  EXPECT_EQ(whole["events"]["records"].size(), 5U);
  const auto problems = whole["problems"].get<std::vector<std::string>>();
  EXPECT_EQ(problems, (std::vector<std::string>{
                          "metrics.jsonl ends in the middle of a line", "metrics.jsonl line 3 is not a JSON object",
                          "metrics.jsonl line 4 is not a JSON object", "metrics.jsonl line 5 is not a JSON object",
                          "events.jsonl line 8 is not a JSON object"}));
}

TEST_F(FolderRunTest, MissingFilesAreNamed) {
  append("run/metrics.jsonl", R"({"step":4})");
  write("run/result.json", "[]");
  run.update();
  const auto problems = run.problems();
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_TRUE(problems[0].starts_with("flags.txt is missing"));
  EXPECT_TRUE(problems[1].starts_with("result.json is not"));
  EXPECT_TRUE(problems[2].starts_with("metrics.jsonl line 1 has no epoch")) << problems[2];
  EXPECT_EQ(Json::parse(run.whole(10))["options"], Json::object());
}

TEST_F(FolderRunTest, ARollbackStartsAgain) {
  make_run("run", 5);
  EXPECT_FALSE(run.update());
  write("other", "{\"epoch\":1}\n");
  std::filesystem::rename(folder / "other", folder / "run/metrics.jsonl");
  EXPECT_TRUE(run.update());
  EXPECT_EQ(run.lines(SeenRun::Kind::metrics), 1U);
  EXPECT_EQ(run.brief()["phase"], "training") << "what the events have told is known";
  append("run/events.jsonl", R"({"event":"rollback","time":1010,"to":"the checkpoint of epoch 1","epoch":1})");
  run.update();
  EXPECT_EQ(run.brief()["epoch"], 1) << "those after it do not count";
  add_epoch("run", 2);
  run.update();
  EXPECT_EQ(run.brief()["epoch"], 2);
}

TEST_F(FolderRunTest, OnlyALockForWritingOfThisFileCounts) {
  const std::string file = write("lock", "");
  struct stat facts = {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  char device[32];
  std::snprintf(device, sizeof device, "%02x:%02x:", ::major(facts.st_dev), ::minor(facts.st_dev));
  const auto line = [&](const std::string& kind, unsigned long inode) {
    return "1: OFDLCK ADVISORY  READ -1 00:06:3 0 EOF\n2: " + kind + " 4711 " + device + std::to_string(inode) +
           " 0 EOF\n";
  };
  EXPECT_TRUE(is_locked(file, line("FLOCK  ADVISORY  WRITE", facts.st_ino)));
  EXPECT_FALSE(is_locked(file, line("FLOCK  ADVISORY  WRITE", facts.st_ino + 1)));
  EXPECT_FALSE(is_locked(file, line("FLOCK  ADVISORY  READ", facts.st_ino)));
  EXPECT_FALSE(is_locked(file, line("POSIX  ADVISORY  WRITE", facts.st_ino)));
  EXPECT_FALSE(is_locked(file + "x", line("FLOCK  ADVISORY  WRITE", facts.st_ino)));
}

}  // namespace
}  // namespace rota
