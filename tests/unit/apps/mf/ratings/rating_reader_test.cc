#include "apps/mf/ratings/rating_reader.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using mf::Header;
using mf::LineFormat;
using mf::RatingLine;
using mf::RatingReader;
using mf::Separator;

class Ratings : public testing::Test {
 protected:
  // "user|item|value|time" of every line.
  std::vector<std::string> read(const std::string& text, LineFormat format = {},
                                RatingReader::Kind kind = RatingReader::Kind::ratings) {
    RatingReader reader(files_.write("ratings", text), format, kind);
    std::vector<std::string> out;
    for (RatingLine line; reader.next(line);)
      out.push_back(std::string(line.user) + "|" + std::string(line.item) + "|" + std::to_string(line.value) + "|" +
                    std::string(line.time));
    header_ = reader.header();
    return out;
  }
  std::string error(const std::string& text, LineFormat format = {}) {
    try {
      read(text, format);
    } catch (const DataError& wrong) {
      return wrong.what();
    }
    return "";
  }

  ScratchFiles files_;
  std::string header_;
};

TEST_F(Ratings, SeparatorsAreFound) {
  const std::vector<std::string> wanted = {"a|b|1.500000|", "c d|e|-2.000000|77"};
  EXPECT_EQ(read("a::b::1.5\nc d::e::-2::77::x\n"), wanted);
  EXPECT_EQ(read("a\tb\t1.5\nc d\te\t-2\t77\n"), wanted);
  EXPECT_EQ(read("a,b,1.5\nc d,e,-2,77\n"), wanted);
  EXPECT_EQ(read("a;b;1.5\nc d; e ;-2;77\n"), wanted);
  EXPECT_EQ(read("a  b\t1.5 \r\n c b 2e1 9"), (std::vector<std::string>{"a|b|1.500000|", "c|b|20.000000|9"}));
  EXPECT_EQ(read("a:1 b,2 3", {Separator::blanks, Header::unknown}), std::vector<std::string>{"a:1|b,2|3.000000|"});
}

TEST_F(Ratings, HeadersCommentsAndEmptyLines) {
  EXPECT_EQ(read("# who, what, how much\n\nuserId,movieId,rating\n# more\n1,2,3\n"),
            std::vector<std::string>{"1|2|3.000000|"});
  EXPECT_EQ(header_, "userId,movieId,rating");
  EXPECT_EQ(read("1,2,3\n", {Separator::comma, Header::yes}), std::vector<std::string>{});
  EXPECT_NE(error("user,item,rating\n1,2,3\n", {Separator::comma, Header::no}).find("ratings:1: expected a rating"),
            std::string::npos);
  EXPECT_EQ(read("#\n"), std::vector<std::string>{});
  // They were read as the names of columns, and skipped.
  for (const char* rating : {"nan", "-NaN", "inf", "+Infinity"})
    EXPECT_NE(error(std::string("1 1 ") + rating + "\n1 2 3\n").find("ratings:1: expected a rating"), std::string::npos)
        << rating;
}

TEST_F(Ratings, QuotationMarksAsInCsv) {
  EXPECT_EQ(read("\"a, b\",\"say \"\"x\"\"\",3\n \"c\" ,d\"e,1\n"),
            (std::vector<std::string>{"a, b|say \"x\"|3.000000|", "c|d\"e|1.000000|"}));
  EXPECT_NE(error("a,b,1\n\"\",c,1\n").find("ratings:2:"), std::string::npos);
}

TEST_F(Ratings, PairsNeedNoRating) {
  EXPECT_EQ(read("a b\nc d x\n", {}, RatingReader::Kind::pairs),
            (std::vector<std::string>{"a|b|0.000000|", "c|d|0.000000|"}));
}

TEST_F(Ratings, CountsMayBeMissingAndLabelsAreOneOrNot) {
  EXPECT_EQ(read("a b\nc d 2.5\n", {}, RatingReader::Kind::counts),
            (std::vector<std::string>{"a|b|1.000000|", "c|d|2.500000|"}));
  EXPECT_EQ(read("a,b,\nc,d,0\n", {}, RatingReader::Kind::counts), (std::vector<std::string>{"a|b|1.000000|"}));
  EXPECT_EQ(read("a b 1\nc d 0\ne f -1 9\n", {}, RatingReader::Kind::labels),
            (std::vector<std::string>{"a|b|1.000000|", "c|d|0.000000|", "e|f|0.000000|9"}));
  for (const auto& [text, kind] : {std::pair("a b 1\na b -2\n", RatingReader::Kind::counts),
                                   {"a b\na b x\n", RatingReader::Kind::counts},
                                   {"a b 1\na b\n", RatingReader::Kind::labels},
                                   {"a b 1\na b 0.5\n", RatingReader::Kind::labels}}) {
    try {
      read(text, {}, kind);
      ADD_FAILURE() << text;
    } catch (const DataError& wrong) {
      EXPECT_NE(std::string(wrong.what()).find("ratings:2:"), std::string::npos) << wrong.what();
    }
  }
}

TEST_F(Ratings, WhatIsWrongIsReportedWithItsLine) {
  EXPECT_NE(error("a b 1\na b\n").find("ratings:2: expected a user, an item and a rating, found 'a b'"),
            std::string::npos);
  EXPECT_NE(error("a b 1\n\na b nan\n").find("ratings:3: expected a rating"), std::string::npos);
  for (const char* beyond : {"1e16", "1e39", "-1e39", "1e-46", "-1e-31", "inf"})
    EXPECT_NE(error(std::string("a b 1\na b ") + beyond + "\n").find("ratings:2:"), std::string::npos) << beyond;
  EXPECT_EQ(read("a b 0.0\na b 1e-30\na b 1e15\n").size(), 3U);
  EXPECT_NE(error("a b x1\n").find("ratings:1:"), std::string::npos);
  EXPECT_NE(error("a\n").find("ratings:1:"), std::string::npos);
  EXPECT_NE(error("a,b,1\n,b,1\n").find("ratings:2:"), std::string::npos);
  EXPECT_NE(error("a,b,1\n\"b,c,1\n").find("ratings:2:"), std::string::npos);
  EXPECT_THROW(RatingReader((files_.folder() / "none").string(), {}), NoInput);
}

}  // namespace
}  // namespace rota::tests
