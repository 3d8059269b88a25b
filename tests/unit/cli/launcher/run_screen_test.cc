#include "cli/launcher/run_screen.h"

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class RunScreen : public RunFiles {
 protected:
  std::string shown(std::size_t width = 1000, std::size_t height = 0) {
    FolderRun run(RunFolder{folder / "run"}, "run");
    run.update();
    std::string text;
    for (const std::string& line : run_screen(run, width, height)) {
      EXPECT_LE(line.size(), width) << line;
      text += line + "\n";
    }
    EXPECT_LE(height == 0 ? 0 : std::ranges::count(text, '\n'), height);
    return text;
  }
  void expect(const std::string& text, const std::string& what) {
    EXPECT_NE(text.find(what), text.npos) << what << text;
  }
};

TEST_F(RunScreen, StateProgressAndWorkers) {
  make_run("run", 4);
  append("run/metrics.jsonl",
         R"({"epoch":5,"epochs":10,"objective":-95.25,"per_item":-0.5,"valid":1.5,"items_per_second":1500000,)"
         R"("items_unit":"tokens","bytes_sent":2000,"compute_seconds":[3,1],"wire_seconds":[0.5,0],)"
         R"("wait_seconds":[0.5,3],"memory_bytes":[120000000,9000],"slowest":"worker-0"})");
  const FileDescriptor held = hold("run");
  const std::string text = shown();
  expect(text, "state        running, phase training\n");
  expect(text, "[####################....................] 5/10");
  expect(text, "objective    -95.25 (-0.5 per item)\n");
  expect(text, "valid        1.5\n");
  expect(text, "rate         1.5M tokens/s, 2kB sent in the epoch\n");
  expect(text, "checkpoint   epoch 2, ");
  expect(text, "worker-0     [##############################=====.....]  75 % computing, 12 % wire, 120MB, slowest\n");
  expect(text, "worker-1     [##########..............................]  25 % computing, 0 % wire, 9kB\n");
  expect(text, "checkpoint epoch=2 hash=ab\n");
}

TEST_F(RunScreen, ManyWorkersFitIntoAWindow) {
  make_run("run", 1);
  std::string numbers = "1";
  for (int i = 1; i < 64; ++i) numbers += ",1";
  append("run/metrics.jsonl", R"({"epoch":2,"compute_seconds":[)" + numbers + R"(],"wait_seconds":[)" + numbers + "]}");
  expect(shown(40, 24), "more workers\n");
  shown(10, 3);
  EXPECT_EQ(shown().find("more workers"), std::string::npos);
  expect(shown(), "worker 63    [####################....................]  50 % computing\n");
}

// Of another version, or damaged.
TEST_F(RunScreen, OddRecordsAreNoReasonToFail) {
  shown();
  append("run/metrics.jsonl", R"({"epoch":"x","compute_seconds":[null,{}],"wait_seconds":[1,"y"],"objective":null})");
  append("run/events.jsonl", R"({"event":7,"time":"soon","what":["\u001b[2J"]})");
  append("run/events.jsonl", "nothing");
  expect(shown(), "problem: flags.txt is missing");
}

}  // namespace
}  // namespace rota
