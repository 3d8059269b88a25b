#include "core/records/run_history.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class RunHistoryTest : public TemporaryFolder {
 protected:
  using Lines = std::vector<std::string>;

  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary | std::ios::app) << text;
  }
  LineIndex index{folder / "lines"};
};

TEST_F(RunHistoryTest, LinesAreThereWhenTheyAreWhole) {
  EXPECT_FALSE(index.update()) << "there is no file yet";
  EXPECT_EQ(index.lines().size(), 0U);
  append("lines", "one\n\nthr");
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.read(index.lines()), (Lines{"one", ""}));
  append("lines", "ee");
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.lines().size(), 2U) << "the last line is torn";
  EXPECT_TRUE(index.is_torn());
  append("lines", "\nfour\n");
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.read(index.lines()), (Lines{"one", "", "three", "four"}));
  EXPECT_FALSE(index.is_torn());
  EXPECT_EQ(index.read(LineIndex::from(index.lines(), 1, 2)), (Lines{"", "three"}));
  EXPECT_EQ(LineIndex::from(index.lines(), 9).size(), 0U);
}

// A rollback writes a shorter file in the place of the old one.
TEST_F(RunHistoryTest, AFileThatWasReplacedIsReadFromItsBeginning) {
  append("lines", "one\ntwo\nthree\n");
  index.update();
  const auto before = index.lines();
  write("other", "one\n");
  std::filesystem::rename(folder / "other", folder / "lines");
  EXPECT_EQ(index.read(before), (Lines{"one", "two", "three"})) << "what was indexed can be read until update()";
  EXPECT_TRUE(index.update());
  EXPECT_EQ(index.read(index.lines()), Lines{"one"});
  append("lines", "2\n3\n4\n5\n");
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.lines().size(), 5U);
  write("lines", "three\n");
  EXPECT_TRUE(index.update()) << "shorter than it was";
  write("lines", "THREE\nand more\n");
  EXPECT_TRUE(index.update()) << "the same inode with another text";
  EXPECT_EQ(index.read(index.lines()), (Lines{"THREE", "and more"}));
  std::filesystem::remove(folder / "lines");
  EXPECT_TRUE(index.update());
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.lines().size(), 0U);
}

// A pipe would keep its reader.
TEST_F(RunHistoryTest, WhatIsNoFileHasNoLines) {
  std::filesystem::create_directory(folder / "lines");
  EXPECT_FALSE(index.update());
  EXPECT_EQ(index.lines().size(), 0U);
}

TEST_F(RunHistoryTest, LinesLongerThanABlockAndBlocksOfShortOnes) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + "\n";
  text += std::string(3'000'000, 'x') + "\nlast\n";
  write("lines", text);
  index.update();
  ASSERT_EQ(index.lines().size(), 300'002U);
  EXPECT_EQ(index.read(LineIndex::from(index.lines(), 123'456, 1)), Lines{"123456"});
  EXPECT_EQ(index.read(LineIndex::from(index.lines(), 300'000, 1)).front().size(), 3'000'000U);
  EXPECT_EQ(index.read(LineIndex::from(index.lines(), 300'001)), Lines{"last"});
}

TEST_F(RunHistoryTest, EpochsAreApartFromOtherEvents) {
  RunHistory history(RunFolder{folder});
  append("events.jsonl", R"({"event":"joined","time":1})"
                         "\n"
                         R"({"event":"epoch","time":2,"epoch":0})"
                         "\n");
  append("metrics.jsonl", "{\"epoch\":0}\n");
  EXPECT_FALSE(history.update());
  append("events.jsonl", R"({"event":"epo)");
  history.update();
  append("events.jsonl", R"(ch","time":3,"epoch":1})"
                         "\n"
                         R"({"event":"end","time":4})"
                         "\n");
  history.update();
  EXPECT_EQ(history.events.read(history.events.lines()),
            (Lines{R"({"event":"joined","time":1})", R"({"event":"end","time":4})"}));
  EXPECT_EQ(history.events.read(history.events.apart()),
            (Lines{R"({"event":"epoch","time":2,"epoch":0})", R"({"event":"epoch","time":3,"epoch":1})"}));
  write("metrics.jsonl", "");
  EXPECT_TRUE(history.update());
}

TEST(Evenly, TheFirstAndTheLastAreAmongThem) {
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(evenly(0, 5), Numbers{});
  EXPECT_EQ(evenly(1, 5), Numbers{0});
  EXPECT_EQ(evenly(3, 5), (Numbers{0, 1, 2}));
  EXPECT_EQ(evenly(11, 3), (Numbers{0, 5, 10}));
  const Numbers many = evenly(100'000, 2000);
  EXPECT_EQ(many.size(), 2000U);
  EXPECT_EQ(many.back(), 99'999U);
  EXPECT_TRUE(std::ranges::adjacent_find(many) == many.end());
}

}  // namespace
}  // namespace rota
