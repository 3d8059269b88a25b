// tests/unit/apps/io/lines_test.cc
#include "rota/io/lines.h"

#include <gtest/gtest.h>

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <sstream>

#include "rota/error.h"
#include "tests/unit/apps/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using tests::ScratchFiles;

template <typename Compressor>
std::string compressed(const std::string& text) {
  std::ostringstream out;
  {
    boost::iostreams::filtering_ostream filter;
    filter.push(Compressor());
    filter.push(out);
    filter << text;
  }
  return out.str();
}
std::string gz(const std::string& text) {
  return compressed<boost::iostreams::gzip_compressor>(text);
}
std::string zst(const std::string& text) {
  return compressed<boost::iostreams::zstd_compressor>(text);
}

std::vector<std::string> lines_of(const std::string& path) {
  Lines lines(path);
  std::vector<std::string> all;
  std::string_view line;
  while (lines.next(line)) {
    all.emplace_back(line);
    EXPECT_EQ(lines.number(), all.size());
  }
  return all;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 4001L) + "\n";
  return text;
}

TEST(Lines, EndsOfLinesAreOptionalAndMayBeCrlf) {
  const ScratchFiles files;
  const std::vector<std::string> three = {"a", "", "bc"};
  EXPECT_EQ(lines_of(files.write("unix", "a\n\nbc\n")), three);
  EXPECT_EQ(lines_of(files.write("dos", "a\r\n\r\nbc\r\n")), three);
  EXPECT_EQ(lines_of(files.write("no-end", "a\n\nbc")), three);
  EXPECT_EQ(lines_of(files.write("marked",
                                 "\xef\xbb\xbf"
                                 "a\n\nbc")),
            three);
  EXPECT_EQ(lines_of(files.write("one", "\n")), std::vector<std::string>{""});
}

// All lines were one, and its carriage returns blanks.
TEST(Lines, ACarriageReturnAloneEndsNoLine) {
  const ScratchFiles files;
  const std::string mac = files.write("mac", "a\rbc\r");
  EXPECT_EQ(message_of<DataError>([&] { lines_of(mac); }),
            mac + ":1: a carriage return in the midst of a line: lines end with \"\\n\" or \"\\r\\n\"");
  const std::string mixed = files.write("mixed", "a\nb\rc\n");
  EXPECT_NE(message_of<DataError>([&] { lines_of(mixed); }).find("mixed:2:"), std::string::npos);
  EXPECT_EQ(lines_of(files.write("twice", "a\r\r\nb\r\r\n")), (std::vector<std::string>{"a\r", "b\r"}));
}

TEST(Lines, CompressedFilesReadLikePlainOnes) {
  const ScratchFiles files;
  const std::string text = numbers(100'000);
  const auto plain = lines_of(files.write("a.txt", text));
  EXPECT_EQ(plain.size(), 100'000U);
  EXPECT_EQ(lines_of(files.write("a.gz", gz(text))), plain);
  EXPECT_EQ(lines_of(files.write("a.zst", zst(text))), plain);
  EXPECT_EQ(lines_of(files.write("no-suffix", gz(text))), plain);
  EXPECT_EQ(lines_of(files.write("members.gz", gz(text.substr(0, 1000)) + gz(text.substr(1000)))), plain);
  EXPECT_EQ(lines_of(files.write("frames.zst", zst(text.substr(0, 1000)) + zst(text.substr(1000)))), plain);
}

TEST(Lines, EveryTruncationOfCompressedDataIsAnError) {
  const ScratchFiles files;
  const std::string text = numbers(40);
  for (const auto& [name, whole] : {std::pair("t.gz", gz(text)), std::pair("t.zst", zst(text))}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::string path = files.write(name, whole.substr(0, size));
      EXPECT_THROW(lines_of(path), DataError) << name << " of " << size << " bytes";
    }
    EXPECT_EQ(lines_of(files.write(name, whole)).size(), 40U);
  }
}

TEST(Lines, ErrorsOfDataNameTheLine) {
  const ScratchFiles files;
  const std::string half = files.write("half.gz", gz(numbers(500'000)).substr(0, 500'000));
  Lines lines(half);
  std::string_view line;
  const std::string message = message_of<DataError>([&] {
    while (lines.next(line)) continue;
  });
  EXPECT_EQ(message, half + ":" + std::to_string(lines.number() + 1) + ": the gzip data is damaged or ends early");
  EXPECT_GT(lines.number(), 10'000U);
}

TEST(Lines, FilesThatCannotBeRead) {
  const ScratchFiles files;
  EXPECT_THROW(Lines{files.folder() / "missing"}, NoInput);
  EXPECT_THROW(Lines{files.folder()}, NoInput);
  const std::string empty = files.write("empty", "");
  EXPECT_EQ(message_of<DataError>([&] { Lines{empty}; }), empty + ": the file is empty");
  const std::string empty_gz = files.write("empty.gz", gz(""));
  EXPECT_EQ(message_of<DataError>([&] { Lines{empty_gz}; }), empty_gz + ": the file is empty");
  const std::string named = files.write("named.gz", "1\n2\n");
  EXPECT_EQ(message_of<DataError>([&] { Lines{named}; }),
            named + ": the name says gzip, but the file does not begin like one");
}

TEST(Lines, LineLengthIsBounded) {
  const ScratchFiles files;
  const std::string longest(kLongestLine, 'x');
  EXPECT_EQ(lines_of(files.write("longest", "a\n" + longest + "\r\nb\n")).size(), 3U);
  const std::string longer = files.write("longer", "a\n" + longest + "x\nb\n");
  const std::string expected = longer + ":2: the line is longer than " + std::to_string(kLongestLine) + " bytes";
  EXPECT_EQ(message_of<DataError>([&] { lines_of(longer); }), expected);
  const std::string endless = files.write("endless", "a\n" + longest + longest);
  EXPECT_THROW(lines_of(endless), DataError);
}

TEST(Lines, ALineCanBeGivenTwice) {
  const ScratchFiles files;
  Lines lines(files.write("two", "a\nb\n"));
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  lines.repeat();
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(lines.number(), 1U);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(lines.next(line));
}

TEST(Lines, SeveralLinesCanBeGivenTwice) {
  const ScratchFiles files;
  Lines lines(files.write("four", "a\nb\nc\nd"));
  std::string_view line;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(lines.next(line));
  lines.give_again({"b", "c"});
  EXPECT_EQ(lines.number(), 1U);
  std::string all;
  while (lines.next(line)) {
    all += std::string(line) + std::to_string(lines.number());
    lines.repeat();
    ASSERT_TRUE(lines.next(line));
    all += line;
  }
  EXPECT_EQ(all, "b2bc3cd4d");
}

}  // namespace
}  // namespace rota::io
