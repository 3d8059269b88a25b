// tests/unit/io/text_file_test.cc -- blocks of whole lines, and parts of plain files.
#include "rota/io/text_file.h"

#include <iterator>

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/lines.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::gzipped;
using tests::message_of;

// All blocks in order; each must have whole lines, and all bytes that must be readable are read.
std::string joined(LineBlocks blocks) {
  std::string text;
  for (std::string_view block; blocks.next(block);) {
    EXPECT_TRUE(block.ends_with('\n'));
    EXPECT_GT(block.size(), 0U);
    volatile char read = 0;
    for (std::size_t i = 0; i < kReadable; ++i) read = block.data()[block.size() + i];
    (void)read;
    text += block;
  }
  return text;
}

std::string random_lines(std::uint64_t seed, std::size_t bytes) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) {
    const std::uint64_t kind = random() % 200;
    text.append(kind == 0   ? random() % 700'000
                : kind < 20 ? 0
                            : random() % 200,
                static_cast<char>('a' + random() % 26));
    text += '\n';
  }
  return text;
}

using TextFileTest = tests::WithFiles;

TEST_F(TextFileTest, AllLinesPlainAndCompressed) {
  const std::string text = random_lines(1, 4'000'000);
  const TextFile plain(files.write("plain", text));
  EXPECT_TRUE(plain.divisible());
  EXPECT_EQ(plain.size(), text.size());
  EXPECT_EQ(joined(plain.all_lines()), text);
  for (const auto& [name, ending, compress] : tests::kCompressions) {
    const TextFile compressed(files.write("a" + ending, compress(text)));
    EXPECT_FALSE(compressed.divisible()) << name;
    EXPECT_EQ(joined(compressed.all_lines()), text) << name;
  }
}

// Files of /proc had no rows.
TEST_F(TextFileTest, ASizeThatIsNotThatOfTheContentIsNotBelieved) {
  for (const std::string path : {"/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    std::ifstream in(path);
    if (!in) continue;
    const std::string content(std::istreambuf_iterator<char>(in), {});
    ASSERT_NE(std::filesystem::file_size(path), content.size());
    const TextFile file(path);
    EXPECT_EQ(joined(file.all_lines()), content);
    EXPECT_EQ(text_bytes({path}), content.size());
  }
}

TEST_F(TextFileTest, TheLastLineGetsItsEnd) {
  for (const std::string text : {"a", "a\nb", "a\n\nb\r"}) {
    EXPECT_EQ(joined(TextFile(files.write("plain", text)).all_lines()), text + "\n");
    EXPECT_EQ(joined(TextFile(files.write("a.gz", gzipped(text))).all_lines()), text + "\n");
  }
  EXPECT_EQ(joined(TextFile(files.write("plain", "\n")).all_lines()), "\n");
}

TEST_F(TextFileTest, AByteOrderMarkIsNoPartOfALine) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string text : {"", "a", "a\n", "abc\ndef\n"}) {
    const TextFile plain(files.write("plain", mark + text));
    EXPECT_EQ(plain.line_start(0), 3U);
    EXPECT_EQ(plain.line_start(2), 3U);
    const std::string lines = text.empty() || text.ends_with('\n') ? text : text + "\n";
    EXPECT_EQ(joined(plain.all_lines()), lines);
    EXPECT_EQ(joined(plain.lines(3, plain.size())), lines);
    EXPECT_EQ(joined(TextFile(files.write("a.gz", gzipped(mark + text))).all_lines()), lines);
  }
}

TEST_F(TextFileTest, PartsMeetWhereLinesBegin) {
  const std::string text = random_lines(2, 3'000'000) + "the last";
  const TextFile file(files.write("plain", text));
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t offset = random() % (text.size() + 10);
    const std::size_t end = offset == 0 ? 0 : text.find('\n', offset - 1);
    const std::uint64_t expected = offset == 0 ? 0 : end == text.npos ? text.size() : end + 1;
    ASSERT_EQ(file.line_start(offset), std::min<std::uint64_t>(expected, text.size())) << offset;
  }
  for (const std::size_t parts : {1U, 2U, 7U, 100U}) {
    std::string all;
    std::uint64_t begin = file.line_start(0);
    for (std::size_t p = 1; p <= parts; ++p) {
      const std::uint64_t end = file.line_start(p == parts ? text.size() + 1 : text.size() * p / parts);
      if (end >= begin) all += joined(file.lines(begin, end));
      begin = end;
    }
    EXPECT_EQ(all, text + "\n") << parts;
  }
}

TEST_F(TextFileTest, ALineThatIsTooLongIsRefused) {
  const TextFile file(files.write("long", std::string(kLongestLine + (1U << 20), 'x')));
  EXPECT_EQ(message_of<BrokenBytes>([&] { joined(file.all_lines()); }), "the line is longer than 67108864 bytes");
}

TEST_F(TextFileTest, WhatCannotBeRead) {
  EXPECT_EQ(message_of<NoInput>([&] { TextFile("/nowhere/x"); }),
            "/nowhere/x: cannot be opened: No such file or directory");
  EXPECT_EQ(message_of<NoInput>([&] { TextFile(files.folder().string()); }),
            files.folder().string() + ": is a folder, not a file");
  EXPECT_EQ(message_of<NoInput>([&] { TextFile("/dev/null"); }),
            "/dev/null: is not a file that can be read more than once");
  const std::string empty = files.write("empty", ""), liar = files.write("liar.gz", "1 1:1\n");
  EXPECT_EQ(message_of<DataError>([&] { TextFile{empty}; }), empty + ": the file is empty");
  EXPECT_EQ(message_of<DataError>([&] { TextFile{liar}; }),
            liar + ": the name claims gzip, but the first bytes differ");
  const std::string whole = gzipped(random_lines(4, 300'000));
  const TextFile cut(files.write("cut.gz", whole.substr(0, whole.size() / 2)));
  EXPECT_EQ(message_of<BrokenBytes>([&] { joined(cut.all_lines()); }), "the gzip data ends early");
}

TEST_F(TextFileTest, AFileThatBecomesShorterIsAnErrorAndNoCrash) {
  const std::string path = files.write("plain", random_lines(5, 2'000'000));
  const TextFile file(path);
  std::filesystem::resize_file(path, 1'000'000);
  EXPECT_EQ(message_of<BrokenBytes>([&] { joined(file.all_lines()); }), "the file became shorter while it was read");
}

TEST_F(TextFileTest, BytesOfTextAreThoseOfTheContent) {
  const std::string lines = random_lines(6, 700'000);
  const std::string plain = files.write("plain", lines), packed = files.write("packed.gz", gzipped(lines));
  EXPECT_EQ(text_bytes({plain}), lines.size());
  EXPECT_EQ(text_bytes({packed, plain}), 2 * lines.size());
  const std::string whole = gzipped(lines), cut = files.write("cut.gz", whole.substr(0, whole.size() / 2));
  EXPECT_GT(text_bytes({cut}), 0U);
  EXPECT_LT(text_bytes({cut}), lines.size()) << "up to the cut";
  EXPECT_THROW(text_bytes({"/nowhere/x"}), NoInput);
}

}  // namespace
}  // namespace rota::io
