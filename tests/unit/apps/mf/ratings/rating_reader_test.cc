#include "apps/mf/ratings/rating_reader.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using mf::RatingKind;

class Ratings : public testing::Test {
 protected:
  // "user|item|value" of every rating, or the error.
  std::string read(const std::string& text, RatingKind kind) {
    std::string out;
    try {
      mf::for_each_rating(
          {files_.write("ratings", text)}, {}, kind, [&](const io::EntryReader&, const mf::RatingLine& line) {
            out += std::string(line.user) + "|" + std::string(line.item) + "|" + std::to_string(line.value) + " ";
          });
    } catch (const DataError& wrong) {
      const std::string what = wrong.what();
      return what.substr(what.find("ratings:"));
    }
    return out;
  }

  ScratchFiles files_;
};

TEST_F(Ratings, MayBeMissingWhereTheyAreCountsOrNotWanted) {
  EXPECT_EQ(read("a b\nc d x\n", RatingKind::pairs), "a|b|0.000000 c|d|0.000000 ");
  EXPECT_EQ(read("a b\nc d 2.5\n", RatingKind::counts), "a|b|1.000000 c|d|2.500000 ");
  EXPECT_EQ(read("a,b,\nc,d,0\n", RatingKind::counts), "a|b|1.000000 ");
  EXPECT_EQ(read("a b 1\na b\n", RatingKind::ratings), "ratings:2: expected a user, an item and a rating, found 'a b'");
}

TEST_F(Ratings, LabelsAreOneOrNot) {
  EXPECT_EQ(read("a b 1\nc d 0\ne f -1 9\n", RatingKind::labels), "a|b|1.000000 c|d|0.000000 e|f|0.000000 ");
  EXPECT_EQ(read("a b 1\na b 0.5\n", RatingKind::labels), "ratings:2: expected a label, 1 and 0 or -1, found '0.5'");
}

TEST_F(Ratings, AreNumbersOfAUsualSize) {
  EXPECT_EQ(read("a b 1\na b -2\n", RatingKind::counts), "ratings:2: an implicit rating must not be negative: '-2'");
  for (const char* beyond : {"nan", "1e16", "1e39", "-1e39", "1e-46", "-1e-31", "inf", "x"})
    EXPECT_TRUE(read(std::string("a b 1\na b ") + beyond, RatingKind::ratings).starts_with("ratings:2: expected a rat"))
        << beyond;
  EXPECT_EQ(read("a b 0.0\na b 1e15\n", RatingKind::ratings), "a|b|0.000000 a|b|1000000000000000.000000 ");
  EXPECT_TRUE(read("a b 1e-30\n", RatingKind::ratings).starts_with("a|b|0"));
}

}  // namespace
}  // namespace rota::tests
