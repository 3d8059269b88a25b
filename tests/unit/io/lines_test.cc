#include "rota/io/lines.h"

#include "rota/error.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::gzipped;
using tests::kCompressions;
using tests::message_of;

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

using LinesTest = tests::WithFiles;

TEST_F(LinesTest, EndsOfLinesAreOptionalAndMayBeCrlf) {
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

// The file was read as one line with blanks for carriage returns.
TEST_F(LinesTest, ACarriageReturnAloneEndsNoLine) {
  const std::string mac = files.write("mac", "a\rbc\r");
  EXPECT_EQ(message_of<DataError>([&] { lines_of(mac); }),
            mac + ":1: a carriage return inside a line: lines end with \"\\n\" or \"\\r\\n\"");
  const std::string mixed = files.write("mixed", "a\nb\rc\n");
  EXPECT_NE(message_of<DataError>([&] { lines_of(mixed); }).find("mixed:2:"), std::string::npos);
  EXPECT_EQ(lines_of(files.write("twice", "a\r\r\nb\r\r\n")), (std::vector<std::string>{"a\r", "b\r"}));
}

TEST_F(LinesTest, CompressedFilesReadLikePlainOnes) {
  const std::string text = numbers(100'000);
  const auto plain = lines_of(files.write("a.txt", text));
  EXPECT_EQ(plain.size(), 100'000U);
  for (const auto& [name, ending, compress] : kCompressions) {
    EXPECT_EQ(lines_of(files.write("a" + ending, compress(text))), plain) << name;
    EXPECT_EQ(lines_of(files.write("no-suffix", compress(text))), plain) << name;
    const std::string members = compress(text.substr(0, 1000)) + compress("") + compress(text.substr(1000));
    EXPECT_EQ(lines_of(files.write("members" + ending, members)), plain) << name;
  }
}

TEST_F(LinesTest, EveryTruncationOfCompressedDataIsAnError) {
  const std::string text = numbers(40);
  for (const auto& [name, ending, compress] : kCompressions) {
    const std::string whole = compress(text);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::string path = files.write("t" + ending, whole.substr(0, size));
      EXPECT_THROW(lines_of(path), DataError) << name << " of " << size << " bytes";
    }
    EXPECT_EQ(lines_of(files.write("t" + ending, whole)).size(), 40U);
  }
}

// Output of the decompressor before the error was lost, and a wrong line was named.
TEST_F(LinesTest, ErrorsOfDataNameTheLine) {
  const std::string text = numbers(200'000);
  for (const auto& [name, ending, compress] : kCompressions) {
    const std::string whole = compress(text);
    std::string damaged = whole;
    for (std::size_t i = 0; i < 64; ++i) damaged[damaged.size() * 3 / 4 + i] ^= 0x55;
    if (name != "zstd") {  // which Boost writes without a checksum
      EXPECT_THROW(lines_of(files.write("damaged" + ending, damaged)), DataError) << name;
    }
    for (const auto& [data, what] : {std::pair(whole.substr(0, whole.size() * 3 / 4), " data ends early"),
                                     std::pair(whole + "what is not compressed", " data is damaged: ")}) {
      const std::string path = files.write("x" + ending, data);
      Lines lines(path);
      std::string_view line;
      const std::string message = message_of<DataError>([&] {
        while (lines.next(line)) continue;
      });
      const std::string expected = path + ":" + std::to_string(lines.number() + 1) + ": the " + name + what;
      EXPECT_EQ(message.substr(0, expected.size()), expected);
      EXPECT_GT(lines.number(), 40'000U) << name;
    }
  }
}

// Memory is bounded for any header.
TEST_F(LinesTest, AnXzDictionaryThatTakesTooMuchMemoryIsRefused) {
  std::string big = tests::xz_compressed(numbers(1000));
  constexpr std::size_t kHeader = 12;  // of the block, after that of the stream
  const std::size_t check_at = kHeader + static_cast<std::size_t>(big[kHeader]) * 4;
  const std::size_t filter = big.find("\x21\x01", kHeader);  // LZMA2, whose dictionary takes one byte to say
  ASSERT_LT(filter, check_at);
  big[filter + 2] = 34;  // 512 MiB
  std::uint32_t check = ~0U;
  for (std::size_t i = kHeader; i < check_at; ++i) {
    check ^= static_cast<unsigned char>(big[i]);
    for (int bit = 0; bit < 8; ++bit) check = check >> 1 ^ ((check & 1) != 0 ? 0xedb88320U : 0U);  // CRC-32
  }
  for (std::size_t i = 0; i < 4; ++i) big[check_at + i] = static_cast<char>(~check >> 8 * i);
  const std::string path = files.write("big.xz", big);
  EXPECT_EQ(message_of<DataError>([&] { lines_of(path); }),
            path + ":1: the xz data is damaged: decompressing it takes more than 256 MiB of memory");
}

TEST_F(LinesTest, KindsThatAreNotReadAreNamed) {
  const std::pair<std::string, std::string> kinds[] = {
      {"a zip archive (or .xlsx, .npz)", "PK\x03\x04 and so on"},
      {"a 7z archive", "7z\xbc\xaf\x27\x1c"},
      {"an Arrow file (save it as Parquet, or as CSV)", std::string("ARROW1\0\0", 8)},
      {"compressed by lz4", "\x04\x22\x4d\x18"},
      {"UTF-16 text", std::string("\xff\xfe") + "1"}};
  for (const auto& [name, first] : kinds) {
    const std::string path = files.write("data", first);
    EXPECT_EQ(message_of<DataError>([&] { lines_of(path); }),
              path + ": is " + name +
                  ", which Rota does not read: expected text, plain or compressed as .gz, .bz2, .xz or .zst");
  }
  for (const char* text : {"PAR1 is a word\n", "ARROW1 too\n", "BZh is another\n", "PK\n", "7z\n"})
    EXPECT_EQ(lines_of(files.write("text", text)).size(), 1U) << text;
}

TEST_F(LinesTest, FilesThatCannotBeRead) {
  EXPECT_THROW(Lines{files.folder() / "missing"}, NoInput);
  EXPECT_THROW(Lines{files.folder()}, NoInput);
  const std::string empty = files.write("empty", "");
  EXPECT_EQ(message_of<DataError>([&] { Lines{empty}; }), empty + ": the file is empty");
  for (const auto& [name, ending, compress] : kCompressions) {
    const std::string nothing = files.write("empty" + ending, compress(""));
    EXPECT_EQ(message_of<DataError>([&] { Lines{nothing}; }), nothing + ": the file is empty");
    const std::string named = files.write("named" + ending, "1\n2\n");
    EXPECT_EQ(message_of<DataError>([&] { Lines{named}; }),
              named + ": the name claims " + name + ", but the first bytes differ");
  }
}

TEST_F(LinesTest, LineLengthIsBounded) {
  const std::string longest(kLongestLine, 'x');
  EXPECT_EQ(lines_of(files.write("longest", "a\n" + longest + "\r\nb\n")).size(), 3U);
  const std::string longer = files.write("longer", "a\n" + longest + "x\nb\n");
  const std::string expected = longer + ":2: the line is longer than " + std::to_string(kLongestLine) + " bytes";
  EXPECT_EQ(message_of<DataError>([&] { lines_of(longer); }), expected);
  const std::string endless = files.write("endless", "a\n" + longest + longest);
  EXPECT_THROW(lines_of(endless), DataError);
}

TEST_F(LinesTest, SeveralLinesCanBeGivenTwice) {
  Lines lines(files.write("four", "a\nb\nc\nd"));
  std::string_view line;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(lines.next(line));
  lines.give_again({"b", "c"});
  EXPECT_EQ(lines.number(), 1U);
  std::string all;
  while (lines.next(line)) all += std::string(line) + std::to_string(lines.number());
  EXPECT_EQ(all, "b2c3d4");
}

}  // namespace
}  // namespace rota::io
