// tests/unit/io/corpus_format_test.cc -- every format, and those that it could be confused with.
#include "io/corpus_formats.h"
#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

std::string format_of_text(const std::string& content) {
  const tests::ScratchFiles files;
  Lines lines(files.write("a", content));
  const std::string format = format_of(lines);
  std::string again;
  for (std::string_view line; lines.next(line);) again += std::string(line) + "\n";
  EXPECT_EQ(again, content) << "every line is returned again";
  return format;
}

std::string refusal_of(const std::string& content) {
  const tests::ScratchFiles files;
  const std::string path = files.write("a", content);
  Lines lines(path);
  return tests::message_of<DataError>([&] { format_of(lines); }).substr(path.size());
}

TEST(CorpusFormat, IsDecidedByTheFirstConclusiveLine) {
  EXPECT_EQ(format_of_text("3\n4\n3\n1 1 2\n"), "uci");
  EXPECT_EQ(format_of_text("0\n4\n0\n"), "uci");
  EXPECT_EQ(format_of_text("2 0:1 7:3\n"), "lda-c");
  EXPECT_EQ(format_of_text("0\n0\n1 0:1\n"), "lda-c");
  EXPECT_EQ(format_of_text("\n1 0:1\n"), "lda-c") << "which then refuses the empty line";
  EXPECT_EQ(format_of_text("the cat\n2 0:1 7:3\n"), "text");
  EXPECT_EQ(format_of_text("\n\nthe cat\n"), "text");
  EXPECT_EQ(format_of_text("\n \n"), "text");
}

TEST(CorpusFormat, TextWithNumbers) {
  for (const char* const text : {"12 at 3:45\n", "1 a\n", "12 monkeys\n", "at 3:45 or 4:45\n", "1 2\n", "1 2 3 4\n",
                                 "a:1 b:2\n", "2 a:1 b:2\n", "2 -1:1 3:1\n", "3:45 o'clock\n", "1.5 apples\n"})
    EXPECT_EQ(format_of_text(text), "text") << text;
}

TEST(CorpusFormat, AmbiguousLdaCIsRefused) {
  EXPECT_EQ(refusal_of("12 3:45 in the afternoon\n"),
            ":1: the line begins like LDA-C ('N word:count ...') and continues like text; choose --format=lda-c or "
            "--format=text");
  EXPECT_EQ(refusal_of("0\n\n3 1:1 2:1\n"),
            ":3: the line looks like LDA-C, but the number '3' is followed by 2 'word:count'; it may also be LIBSVM or "
            "text; choose --format=lda-c, --format=libsvm or --format=text");
  EXPECT_EQ(refusal_of("0:1 7:3\n"),
            ":1: the line looks like LDA-C without the number of pairs before them; it may also be text; choose "
            "--format=lda-c or --format=text");
}

TEST(CorpusFormat, Matrices) {
  for (const char* const row :
       {"1 3:0.5\n", "+1 3:1 4:1\n", "-1 3:1\n", "0.5 1:2 2:1e-3\n", "2 1:1 3:0.5\n", "1 1:-2 7:1\n", "1 1:.5\n"})
    EXPECT_EQ(format_of_text(row), "libsvm") << row;
  EXPECT_NE(refusal_of("1 3:1 7:1\n"), "no error") << "neither LDA-C, by its number";
  EXPECT_EQ(format_of_text("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n"), "matrix_market");
}

TEST(CorpusFormat, AHalfBagOfWordsIsRefused) {
  const std::string message =
      ":1: the line looks like UCI bag-of-words without its three first lines, of one number each; it may also be "
      "text; choose --format=uci or --format=text";
  EXPECT_EQ(refusal_of("1 1 2\n1 2 1\n"), message) << "no header";
  EXPECT_EQ(refusal_of("3430 6906 353160\n1 2 1\n"), message) << "a header in one line";
  EXPECT_EQ(refusal_of("\n3\n4\n1\n1 1 1\n"),
            ":2: a single number after an empty line may be text, or UCI bag-of-words with an extra empty line; "
            "choose --format=uci or --format=text");
}

TEST(CorpusFormat, LinesOfZeroAloneAreRefused) {
  for (const char* const zeros : {"0\n", "0\n0\n0\n", "0\n\n"})
    EXPECT_NE(refusal_of(zeros).find("choose --format=uci, --format=lda-c or --format=text"), std::string::npos);
}

}  // namespace
}  // namespace rota::io
