#include "cli/web/live_run.h"

#include <chrono>
#include <thread>

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class LiveRunTest : public RunFiles {
 protected:
  std::shared_ptr<LiveRun> open(const std::string& run) {
    auto live = std::make_shared<LiveRun>(std::make_unique<FolderRun>(RunFolder{folder / run}, run));
    live->update();
    return live;
  }
  static int count(const std::string& text, const std::string& what) {
    int found = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
  }
  // News that have it. A look may fall between the writes of an epoch's two lines: then the first of them come alone.
  template <class Next>
  static std::string until(const std::string& what, const Next& next) {
    std::string news;
    for (int looks = 0; looks < 3 && count(news, what) == 0; ++looks) news = next().value_or("");
    return news;
  }
};

TEST_F(LiveRunTest, AWatcherGetsWhatItDoesNotHave) {
  make_run("run", 3);
  const auto run = open("run");
  LiveRun::Position position{1, 4, {}, "", false};
  std::string news = run->news(position);
  EXPECT_EQ(count(news, "event: metrics\n"), 2) << news;
  EXPECT_EQ(count(news, "event: event\n"), 1) << news;
  EXPECT_EQ(count(news, "event: state\n"), 1) << news;
  EXPECT_NE(news.find("id: 3:5:0\n"), news.npos) << news;
  EXPECT_EQ(run->news(position), "");
  add_epoch("run", 4);
  EXPECT_EQ(run->news(position), "") << "it was not looked at";
  run->update();
  news = run->news(position);
  EXPECT_EQ(count(news, "event: metrics\n"), 1) << news;
  EXPECT_NE(news.find("\"epoch\":4,"), news.npos) << news;
}

TEST_F(LiveRunTest, FarBehindItGetsSomeOfThem) {
  make_run("run", 2000);
  const auto run = open("run");
  LiveRun::Position position;
  const std::string news = run->news(position);
  EXPECT_EQ(count(news, "event: metrics\n"), 500);
  EXPECT_NE(news.find("\"epoch\":2000,"), news.npos);
  EXPECT_EQ(position.metrics, 2000U);
}

TEST_F(LiveRunTest, AfterARollbackItStartsAgain) {
  make_run("run", 5);
  const auto run = open("run");
  LiveRun::Position position, from_elsewhere{6, 5, {}, "", false};
  run->news(position);
  write("other", "{\"epoch\":1}\n{\"epoch\":2}\n{\"epoch\":3}\n{\"epoch\":4}\n{\"epoch\":5}\n{\"epoch\":6}\n");
  std::filesystem::rename(folder / "other", folder / "run/metrics.jsonl");
  run->update();
  EXPECT_EQ(run->news(position), "event: reset\ndata: {}\n\n") << "the lines that it has are not those of the file";
  EXPECT_TRUE(position.is_over);
  EXPECT_EQ(count(run->news(from_elsewhere), "event: reset"), 0);
  LiveRun::Position beyond{7, 5, {}, "", false};
  EXPECT_EQ(run->news(beyond), "event: reset\ndata: {}\n\n");
}

TEST_F(LiveRunTest, IdsOfEventsComeBack) {
  const auto position = LiveRun::Position::from("12:34:56");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->metrics, 12U);
  EXPECT_EQ(position->events, 34U);
  EXPECT_EQ(position->generation, 56U);
  for (const char* id : {"", "1", "1:2", "1:2:", "1:2:3:", ":1:2", "a:1:2", "-1:2:3", "1:2:99999999999999999999"})
    EXPECT_FALSE(LiveRun::Position::from(id)) << id;
}

TEST_F(LiveRunTest, StreamsWaitForNewsAndEndWhenToldTo) {
  make_run("run", 1);
  const auto run = open("run");
  Watchers watchers;
  LiveRun::Position here{1, 5, {}, "", false};
  const auto next = watchers.watch(run, here), other = watchers.watch(run, here);
  EXPECT_EQ(count(next().value_or(""), "event: state\n"), 1);
  EXPECT_EQ(count(other().value_or(""), "event: state\n"), 1);
  add_epoch("run", 2);
  EXPECT_EQ(count(until("event: metrics\n", next), "event: metrics\n"), 1) << "within some seconds";
  EXPECT_EQ(count(until("event: metrics\n", other), "event: metrics\n"), 1);
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    watchers.stop();
  });
  EXPECT_EQ(next(), std::nullopt);
  stopping.join();
  EXPECT_EQ(other(), std::nullopt);
}

// A run that another request looks at first had no news for its watchers.
TEST_F(LiveRunTest, NewsThatAnotherSawFirstReachAWatcher) {
  make_run("run", 1);
  const auto run = open("run");
  Watchers watchers;
  const auto next = watchers.watch(run, {1, 5, {}, "", false});
  next();
  add_epoch("run", 2);
  run->update();
  EXPECT_EQ(count(until("event: metrics\n", next), "event: metrics\n"), 1);
}

}  // namespace
}  // namespace rota
