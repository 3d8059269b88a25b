#include "cli/web/seen_run.h"

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class SeenRunTest : public RunFiles {};

TEST_F(SeenRunTest, LongRunsAreThinnedOutWithTheirFirstAndLast) {
  make_run("run", 1000);
  FolderRun run(RunFolder{folder / "run"}, "é \"quoted\"");
  run.update();
  const Json whole = Json::parse(run.whole(11));
  EXPECT_EQ(whole["name"], "é \"quoted\"");
  const Json& records = whole["metrics"]["records"];
  EXPECT_EQ(whole["metrics"]["lines"], 1000);
  ASSERT_EQ(records.size(), 11U);
  EXPECT_EQ(records.front()["epoch"], 1);
  EXPECT_EQ(records.back()["epoch"], 1000);
  EXPECT_EQ(whole["epochs_seen"]["epoch"].size(), 11U);
  EXPECT_EQ(whole["epochs_seen"]["time"].back(), 2000.5);
  EXPECT_EQ(run.since(SeenRun::Kind::metrics, 990, 5).size(), 5U);
  EXPECT_EQ(run.since(SeenRun::Kind::metrics, 998, 5).size(), 2U);
  EXPECT_EQ(run.since(SeenRun::Kind::metrics, 1000, 5).size(), 0U);
}

// As doubles they would lose digits.
TEST_F(SeenRunTest, NumbersKeepTheirDigits) {
  append("run/metrics.jsonl", R"({"epoch":1,"bytes_sent":18446744073709551615,"objective":-0.10000000000000000555})");
  FolderRun run(RunFolder{folder / "run"}, "run");
  run.update();
  EXPECT_NE(run.whole(10).find("18446744073709551615,\"objective\":-0.10000000000000000555}"), std::string::npos);
}

TEST_F(SeenRunTest, OnlyObjectsAreRecords) {
  for (const char* line : {"", "{", "[]", "5", "{\"a\":}", "{\"a\":1}x", "{\"a\":\"\xff\"}", "null"})
    EXPECT_FALSE(is_json_object(line)) << line;
  EXPECT_TRUE(is_json_object("{\"a\":[{}]}"));
  EXPECT_EQ(parse_record("[1]"), nlohmann::json::object());
}

}  // namespace
}  // namespace rota
