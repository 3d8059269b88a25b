#include "rota/error.h"
#include "rota/io/corpus.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io::lda_c {
namespace {

using tests::message_of;
using tests::ScratchFiles;
using tests::Wrong;

struct Read {
  CorpusSize size;
  std::string counts;  // "document:word*count " ...
};

Read read(const std::vector<std::string>& files, const std::string& vocabulary = "", const NumberedWords& numbered = {},
          const std::string& format = "auto") {
  Read result;
  Vocabulary words = vocabulary.empty() ? Vocabulary{} : Vocabulary::read(vocabulary);
  const auto take = [&](std::span<const WordCount> counts) {
    for (const WordCount& each : counts)
      result.counts +=
          std::to_string(each.document) + ":" + std::to_string(each.word) + "*" + std::to_string(each.count) + " ";
  };
  result.size = read_corpus(files, CorpusForm{{.format = format}}, words, take, numbered);
  if (vocabulary.empty()) {
    EXPECT_EQ(words.size(), 0U);
  }
  return result;
}

using LdaC = tests::WithFiles;

TEST_F(LdaC, DocumentsOfALineEach) {
  const Read corpus =
      read({files.write("a", "2 0:1 7:3\r\n0\n 1\t3:16777216 \n"), files.write("b", "3 5:1 2:1 4:9\n\n \n")});
  EXPECT_EQ(corpus.counts, "0:0*1 0:7*3 2:3*16777216 3:5*1 3:2*1 3:4*9 ");
  EXPECT_EQ(corpus.size.documents, 4U);
  EXPECT_EQ(corpus.size.words, 8U) << "up to the largest number";
  EXPECT_EQ(corpus.size.tokens, 16777231U);
  EXPECT_EQ(corpus.size.format, "lda-c");
}

TEST_F(LdaC, EmptyDocumentsMayComeFirst) {
  const Read corpus = read({files.write("a", "0\n0\n1 2:1\n0\n")});
  EXPECT_EQ(corpus.counts, "2:2*1 ");
  EXPECT_EQ(corpus.size.documents, 4U);
}

TEST_F(LdaC, CompressedFiles) {
  const std::string text = "0\n2 0:1 7:3\n";
  EXPECT_EQ(read({files.write("a.gz", tests::gzipped(text))}).counts, "1:0*1 1:7*3 ");
  EXPECT_EQ(read({files.write("a.zst", tests::zstd_compressed(text))}).counts, "1:0*1 1:7*3 ");
}

TEST_F(LdaC, TheVocabularyGivesTheNumberOfWords) {
  const std::string four = files.write("v", "a\nb\nc\nd\n");
  EXPECT_EQ(read({files.write("a", "1 1:2\n")}, four).size.words, 4U);
  const std::string beyond = files.write("b", "1 1:2\n2 0:1 4:1\n");
  EXPECT_EQ(message_of<DataError>([&] { read({beyond}, four); }),
            beyond + ":2: word 4 is beyond the 4 words of the vocabulary " + four + ", which are numbered from 0");
}

TEST_F(LdaC, WordsBeyondTheEndAreRefusedOrLeftOut) {
  const std::string path = files.write("a", "2 0:1 4:3\n1 9:2\n1 3:1\n");
  EXPECT_EQ(message_of<DataError>([&] { read({path}, "", {.end = 4}); }),
            path + ":1: word 4 is beyond the 4 words of the vocabulary, which are numbered from 0");
  const Read corpus = read({path}, "", {.end = 4, .leave_out = true});
  EXPECT_EQ(corpus.counts, "0:0*1 2:3*1 ");
  EXPECT_EQ(corpus.size.tokens, 2U);
  EXPECT_EQ(corpus.size.left_out, 5U);
  EXPECT_EQ(corpus.size.documents, 3U);
}

class WrongLdaC : public testing::TestWithParam<Wrong> {};

TEST_P(WrongLdaC, IsRefusedWithItsLine) {
  const ScratchFiles files;
  const std::string path = files.write("a", "1 0:1\n" + GetParam().content);
  EXPECT_EQ(message_of<DataError>([&] { read({path}); }), path + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongLdaC,
    testing::Values(
        Wrong{"2 3:1\n", ":2: expected 2 'word:count' after the line's first number, found 1"},
        Wrong{"0 3:1\n", ":2: expected 0 'word:count' after the line's first number, found 1"},
        Wrong{"1\n", ":2: expected 1 'word:count' after the line's first number, found 0"},
        Wrong{"0\n3 3:1 1:2 3:4\n", ":3: word 3 is twice in the document"},
        Wrong{"1 3:0\n", ":2: expected a count from 1 to 16777216, found '0'"},
        Wrong{"1 3:16777217\n", ":2: expected a count from 1 to 16777216, found '16777217'"},
        Wrong{"1 3:99999999999999999999\n", ":2: expected a count from 1 to 16777216, found '99999999999999999999'"},
        Wrong{"1 268435456:1\n", ":2: expected a word number from 0 to 268435455, found '268435456'"},
        Wrong{"1 268435455:1\n0\n",
              ":2: 268435456 words are out of proportion to the entries that they have, 2: expected at most "
              "1048704 (64 for each entry, and 1048576)"},
        Wrong{"1 99999999999999999999:1\n",
              ":2: expected a word number from 0 to 268435455, found '99999999999999999999'"},
        Wrong{"1 -3:1\n", ":2: expected 'word:count', found '-3:1'"},
        Wrong{"1 3:1.5\n", ":2: expected 'word:count', found '3:1.5'"},
        Wrong{"1 3:1:2\n", ":2: expected 'word:count', found '3:1:2'"},
        Wrong{"1 3:\n", ":2: expected 'word:count', found '3:'"},
        Wrong{"1 :3\n", ":2: expected 'word:count', found ':3'"},
        Wrong{"1 x\n", ":2: expected 'word:count', found 'x'"},
        Wrong{"the cat\n", ":2: expected the number of the document's different words, found 'the'"},
        Wrong{"99999999999999999999 3:1\n",
              ":2: expected the number of the document's different words, found '99999999999999999999'"},
        Wrong{std::string("1 3\0:1\n", 7), ":2: expected 'word:count', found '3\\x00:1'"},
        Wrong{"\n1 3:1\n",
              ":3: expected the end of the file after the empty line 2, found '1 3:1' (a document without "
              "words is the line 0)"}));

TEST_F(LdaC, TooManyTokensAreRefused) {
  std::string content;
  for (int d = 0; d < 300; ++d) content += "1 1:16777216\n";
  const std::string path = files.write("a", content);
  EXPECT_EQ(message_of<DataError>([&] { read({path}); }), path + ":256: a corpus has at most 4294967295 tokens");
}

TEST_F(LdaC, WithoutWords) {
  const std::string path = files.write("a", "0\n0\n");
  EXPECT_EQ(message_of<DataError>([&] { read({path}, "", {}, "lda-c"); }), path + ": the corpus has no words");
}

}  // namespace
}  // namespace rota::io::lda_c
