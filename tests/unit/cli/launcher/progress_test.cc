#include "cli/launcher/progress.h"

namespace rota {
namespace {

nlohmann::json epoch() {
  return {{"event", "epoch"},
          {"epoch", 3},
          {"epochs", 20},
          {"objective", -3901234.5},
          {"per_item", -8.341},
          {"seconds", 1.2},
          {"items_per_second", 11234567.0},
          {"items_unit", "tokens"},
          {"workers", 2}};
}

TEST(Progress, ALineForEachEpoch) {
  EXPECT_EQ(epoch_line(epoch()),
            "epoch 3/20  objective -3901234.5 (-8.341 per item)  1.20 s  11.2M tokens/s  2 workers  6.8 s left");
  EXPECT_EQ(epoch_line(epoch(), true), "[#.........] 3/20  6.8 s left  -8.341/item  1.20 s  11.2M tokens/s  2 workers");
}

TEST(Progress, WhatARecordDoesNotSayIsLeftOut) {
  nlohmann::json record = epoch();
  for (const char* field : {"epochs", "objective", "per_item", "items_unit"}) record.erase(field);
  record["workers"] = 1;
  EXPECT_EQ(epoch_line(record), "epoch 3  1.20 s  11.2M items/s  1 worker");
  EXPECT_EQ(epoch_line(record, true), "epoch 3  1.20 s  11.2M items/s  1 worker");
  record["workers"] = 2;
  record["valid"] = 0.25;
  record["objective"] = 12;
  EXPECT_EQ(epoch_line(record), "epoch 3  objective 12  valid 0.25  1.20 s  11.2M items/s  2 workers");
}

TEST(Progress, TheLastEpochLeavesNothing) {
  nlohmann::json record = epoch();
  record["epoch"] = 20;
  EXPECT_EQ(epoch_line(record, true), "[##########] 20/20  -8.341/item  1.20 s  11.2M tokens/s  2 workers");
}

TEST(Progress, SpansAreShort) {
  EXPECT_EQ(short_span(0.123), "0.12 s");
  EXPECT_EQ(short_span(99.4), "99 s");
  EXPECT_EQ(short_span(99.5), "2 min");
  EXPECT_EQ(short_span(3600), "60 min");
  EXPECT_EQ(short_span(2 * 3600 + 14 * 60 + 59), "2 h 14 min");
  EXPECT_EQ(short_span(3 * 86'400 + 5 * 3600), "3 days 5 h");
}

TEST(Progress, TheTimeLeftIsByTheRateOfTheNewestEpochs) {
  TimeLeft time;
  EXPECT_FALSE(time.left(100));
  time.begin(0, 1000);
  EXPECT_FALSE(time.left(100)) << "no epoch is over";
  double now = 1000;
  for (int epoch = 1; epoch <= 20; ++epoch) time.add(epoch, now += 4);
  EXPECT_DOUBLE_EQ(*time.left(100), 320);
  for (int epoch = 21; epoch <= 40; ++epoch) time.add(epoch, now += 1);  // others have left the machine
  EXPECT_DOUBLE_EQ(*time.left(100), 60);
  EXPECT_FALSE(time.left(0)) << "the last epoch is not known";
  EXPECT_DOUBLE_EQ(*time.left(30), 0);
  time.begin(20, now += 100);  // a rollback: what it took does not count
  EXPECT_FALSE(time.left(100));
  time.add(21, now += 2);
  EXPECT_DOUBLE_EQ(*time.left(100), 158);
}

TEST(Progress, ALineHasTheTimeLeftThatIsGiven) {
  EXPECT_EQ(epoch_line(epoch(), true, 7200),
            "[#.........] 3/20  2 h 0 min left  -8.341/item  1.20 s  11.2M tokens/s  2 workers");
}

// What a program reads of a run: the coordinator's own lines and messages, each an object, and nothing else.
TEST(Progress, JsonIsOneObjectALine) {
  testing::internal::CaptureStdout();
  {
    Progress progress(ProgressForm::json);
    const std::string line = R"({"event":"epoch","epoch":1,"epochs":2})";
    progress.record(nlohmann::json::parse(line), line);
    progress.say("worker-0 said \"no\"\nand \xff");
    progress.begin("loading");
    progress.tick();  // it has not taken long
  }
  std::istringstream lines(testing::internal::GetCapturedStdout());
  std::string epoch, message, more;
  std::getline(lines, epoch);
  std::getline(lines, message);
  EXPECT_EQ(epoch, R"({"event":"epoch","epoch":1,"epochs":2})");
  const auto json = nlohmann::json::parse(message);
  EXPECT_EQ(json.at("event"), "message");
  EXPECT_EQ(json.at("text"), "worker-0 said \"no\"\nand \\xff");
  EXPECT_GT(json.at("time"), 1e9);
  EXPECT_FALSE(std::getline(lines, more)) << more;
}

TEST(Progress, OfWhatTakesLongTheTimeAndTheBytesAreShown) {
  testing::internal::CaptureStdout();
  {
    Progress progress(ProgressForm::json);
    const Busy busy(progress, "reading", 1000);
    std::ifstream file("/proc/self/exe");
    std::string block(4000, ' ');
    file.read(block.data(), 4000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(json.at("event"), "working");
  EXPECT_EQ(json.at("what"), "reading");
  EXPECT_GE(json.at("seconds"), 1);
  EXPECT_EQ(json.at("bytes"), 1000);
  EXPECT_EQ(json.at("bytes_read"), 1000);
}

TEST(Progress, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(999.7), "1k");
  EXPECT_EQ(short_number(1234567), "1.23M");
  EXPECT_EQ(short_number(-45.678), "-45.7");
  EXPECT_EQ(short_number(2e15), "2e+03T");
}

}  // namespace
}  // namespace rota
