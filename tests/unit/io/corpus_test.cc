// tests/unit/io/corpus_test.cc -- formats of a corpus, and their errors.
#include "rota/io/corpus.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using tests::ScratchFiles;
using tests::Wrong;

struct Read {
  CorpusSize size;
  Vocabulary vocabulary;
  std::string counts;  // "document:word*count " ...
};

Read read(const std::vector<std::string>& files, const std::string& format = "auto", const std::string& vocabulary = "",
          const std::string& target = "") {
  Read result;
  if (!vocabulary.empty()) result.vocabulary = Vocabulary::read(vocabulary);
  result.size = read_corpus(files, CorpusForm{{.format = format, .target = target}}, result.vocabulary,
                            [&](std::span<const WordCount> counts) {
                              for (const WordCount& each : counts)
                                result.counts += std::to_string(each.document) + ":" + std::to_string(each.word) + "*" +
                                                 std::to_string(each.count) + " ";
                            });
  return result;
}

using CorpusTest = tests::WithFiles;

TEST_F(CorpusTest, BagOfWords) {
  const Read corpus = read({files.write("a", "3\n4\n3\n1 1 2\r\n 3\t4  1 \n1 2 16777216\n\n")});
  EXPECT_EQ(corpus.counts, "0:0*2 2:3*1 0:1*16777216 ");
  EXPECT_EQ(corpus.size.documents, 3U);
  EXPECT_EQ(corpus.size.words, 4U);
  EXPECT_EQ(corpus.size.tokens, 16777219U);
  EXPECT_EQ(corpus.vocabulary.size(), 0U);
}

TEST_F(CorpusTest, DocumentsOfASecondFileFollow) {
  const std::string a = files.write("a", "2\n4\n1\n1 1 1\n"), b = files.write("b", "1\n4\n1\n1 4 5\n");
  const Read corpus = read({a, b});
  EXPECT_EQ(corpus.counts, "0:0*1 2:3*5 ");
  EXPECT_EQ(corpus.size.documents, 3U);
}

TEST_F(CorpusTest, TextBuildsItsVocabulary) {
  const Read corpus = read({files.write("a", "the cat\tThe cat\n\n dog\n"), files.write("b", "cat owl")});
  EXPECT_EQ(corpus.counts, "0:0*1 0:1*1 0:2*1 0:1*1 2:3*1 3:1*1 3:4*1 ");
  EXPECT_EQ(corpus.size.documents, 4U);
  EXPECT_EQ(corpus.size.words, 5U);
  EXPECT_EQ(corpus.vocabulary.word(2), "The");
  EXPECT_EQ(*corpus.vocabulary.find("owl"), 4U);
}

TEST_F(CorpusTest, TextWithAGivenVocabularyLeavesOtherWordsOut) {
  const Read corpus = read({files.write("a", "the cat the dog\n")}, "text", files.write("v", "dog\ncat\nowl\n"));
  EXPECT_EQ(corpus.counts, "0:1*1 0:0*1 ");
  EXPECT_EQ(corpus.size.words, 3U);
}

TEST_F(CorpusTest, FormatIsDetectedOrGiven) {
  const std::string bag = files.write("bag", "1\n1\n1\n1 1 1\n");
  EXPECT_EQ(read({bag}).counts, "0:0*1 ");
  EXPECT_EQ(read({bag}, "text").size.documents, 4U);
  const std::string text = files.write("text", "1 a\n");
  EXPECT_EQ(read({text}).counts, "0:0*1 0:1*1 ");
  EXPECT_EQ(message_of<DataError>([&] { read({text}, "uci"); }),
            text + ":1: expected the number of documents alone, found 'a' after it");
  EXPECT_EQ(message_of<DataError>([&] {
              read({bag, text});
            }),
            text + ":1: the files of a corpus must have one format, but " + bag + " has another");
}

class WrongBag : public testing::TestWithParam<Wrong> {};

TEST_P(WrongBag, IsRefusedWithItsLine) {
  const ScratchFiles files;
  const std::string path = files.write("bag", GetParam().content);
  EXPECT_EQ(message_of<DataError>([&] { read({path}); }), path + GetParam().message);
}

const std::string kHead = "2\n6906\n2\n";
INSTANTIATE_TEST_SUITE_P(
    All, WrongBag,
    testing::Values(
        Wrong{"", ": the file is empty"},  //
        Wrong{"5", ":2: expected the number of words, found the end of the file"},
        Wrong{"5\nx\n", ":2: expected the number of words, found 'x'"},
        Wrong{"5\n\n", ":2: expected the number of words, found an empty line"},
        Wrong{"5\n9\n3 4\n", ":3: expected the number of 'document word count' lines alone, found '4' after it"},
        Wrong{"99999999999\n9\n3\n", ":1: expected the number of documents from 0 to 4294967295, found '99999999999'"},
        Wrong{
            "2147483647\n5\n1\n1 1 1\n",
            ":1: 2147483647 documents are out of proportion to the entries that they have, 1: expected at most 1048640 "
            "(64 for each entry, and 1048576)"},
        Wrong{
            "5\n268435456\n1\n1 1 1\n",
            ":2: 268435456 words are out of proportion to the entries that they have, 1: expected at most 1048640 (64 "
            "for each entry, and 1048576)"},
        Wrong{kHead + "1 1 1\n1 7000 1\n", ":5: expected a word id from 1 to 6906, found '7000'"},
        Wrong{kHead + "1 0 1\n", ":4: expected a word id from 1 to 6906, found '0'"},
        Wrong{kHead + "0 1 1\n", ":4: expected a document number from 1 to 2, found '0'"},
        Wrong{kHead + "3 1 1\n", ":4: expected a document number from 1 to 2, found '3'"},
        Wrong{kHead + "1 1 -3\n", ":4: expected a count, found '-3'"},
        Wrong{kHead + "1 1 0\n", ":4: expected a count from 1 to 16777216, found '0'"},
        Wrong{kHead + "1 1 16777217\n", ":4: expected a count from 1 to 16777216, found '16777217'"},
        Wrong{kHead + "1 99999999999999999999 1\n",
              ":4: expected a word id from 1 to 6906, found '99999999999999999999'"},
        Wrong{kHead + "1 1 18446744073709551617\n",
              ":4: expected a count from 1 to 16777216, found '18446744073709551617'"},
        Wrong{kHead + "1 1\n", ":4: expected 'document word count', found '1 1'"},
        Wrong{kHead + "1 1 1 1\n", ":4: expected 'document word count', found '1 1 1 1'"},
        Wrong{kHead + "\n1 1 1\n", ":4: expected 'document word count', found ''"},
        Wrong{kHead + "1 1 1.5\n", ":4: expected a count, found '1.5'"},
        Wrong{kHead + "1 one 1\n", ":4: expected a word id, found 'one'"},
        Wrong{kHead + std::string("1 \0 1\n", 6), ":4: expected a word id, found '\\x00'"},
        Wrong{kHead + std::string("1 1\0001 1\n", 8), ":4: expected a word id, found '1\\x001'"},
        Wrong{kHead + "some junk in the middle, and it goes on and on\n",
              ":4: expected 'document word count', found 'some junk in the middle, and it goes on ...'"},
        Wrong{kHead + "1 1 1\n", ":5: expected 2 'document word count' lines, found 1 before the end of the file"},
        Wrong{kHead + "1 1 1\n2 1 1\n\n2 2 1\n", ":7: expected the end of the file after 2 lines, found '2 2 1'"},
        Wrong{"1\n1\n0\n", ": the corpus has no words"}));

TEST_F(CorpusTest, TooManyTokensAreRefused) {
  std::string content = "1\n300\n300\n";
  for (int w = 1; w <= 300; ++w) content += "1 " + std::to_string(w) + " 16777216\n";
  const std::string path = files.write("bag", content);
  EXPECT_EQ(message_of<DataError>([&] { read({path}); }), path + ":259: a corpus has at most 4294967295 tokens");
}

TEST_F(CorpusTest, WrongText) {
  const std::string nul = files.write("nul", std::string("a b\na\0b\n", 8));
  EXPECT_EQ(message_of<DataError>([&] { read({nul}); }), nul + ":2: expected text, found a NUL byte");
  const std::string blank = files.write("blank", " \n\n");
  EXPECT_EQ(message_of<DataError>([&] { read({blank}); }), blank + ": the corpus has no words");
  EXPECT_THROW(read({files.folder() / "missing"}), NoInput);
}

TEST_F(CorpusTest, VocabularyMustFit) {
  const std::string bag = files.write("bag", "1\n3\n1\n1 1 1\n");
  EXPECT_EQ(read({bag}, "auto", files.write("v3", "a\nb\nc\n")).counts, "0:0*1 ");
  for (const auto& [words, size] : {std::pair("a\nb\n", "2"), std::pair("a\nb\nc\nd", "4")}) {
    const std::string vocabulary = files.write("v", words);
    EXPECT_EQ(message_of<DataError>([&] { read({bag}, "auto", vocabulary); }),
              bag + ":2: the corpus has 3 words, but the vocabulary " + vocabulary + " has " + size);
  }
  const std::string other = files.write("other", "1\n4\n1\n1 1 1\n");
  EXPECT_EQ(message_of<DataError>([&] {
              read({bag, other});
            }),
            other + ":2: the corpus has 4 words, but the file before had 3");
}

TEST_F(CorpusTest, RowsOfCounts) {
  const Read csv = read({files.write("a.csv", "cat,class,dog\n2,x,0\n0,y,0\n1,x,3.0\n")}, "auto", "", "class");
  EXPECT_EQ(csv.counts, "0:0*2 2:0*1 2:1*3 ");
  EXPECT_EQ(csv.size.documents, 3U);
  EXPECT_EQ(csv.size.tokens, 6U);
  EXPECT_EQ(csv.vocabulary.word(1), "dog");
  EXPECT_TRUE(csv.size.named);
  const Read turned = read({files.write("b.csv", "dog;cat\n3;1\n"), files.write("c.csv", "cat,sun,dog\n0,9,2\n")});
  EXPECT_EQ(turned.counts, "0:0*3 0:1*1 1:0*2 ") << "the columns are those of the first file";
  const Read chosen = read({files.folder() / "a.csv"}, "auto", files.write("v", "dog\nowl\n"), "2");
  EXPECT_EQ(chosen.counts, "2:0*3 ");
  EXPECT_EQ(chosen.size.words, 2U);

  const Read libsvm = read({files.write("a", "+1 1:2 4:1\n-1\n+1 2:5\n")});
  EXPECT_EQ(libsvm.counts, "0:0*2 0:3*1 2:1*5 ");
  EXPECT_EQ(libsvm.size.words, 4U) << "up to the largest number";
  const std::string market =
      files.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 4 2\n2 1 7\n1 3 1\n");
  EXPECT_EQ(read({market}).counts, "0:2*1 1:0*7 ");
  EXPECT_EQ(read({market}).size.words, 4U);
}

TEST_F(CorpusTest, RowsThatAreNoCounts) {
  const auto why = [&](const std::string& name, const std::string& content, const std::string& vocabulary = "") {
    const std::string path = files.write(name, content);
    return message_of<DataError>([&] { read({path}, "auto", vocabulary); }).substr(path.size());
  };
  EXPECT_EQ(why("a.csv", "cat,dog\n1,2\n0,0.5\n"), ":3: word 'dog': expected a count from 0 to 16777216, found 0.5");
  EXPECT_EQ(why("a.csv", "1,-2\n"), ":1: word 2: expected a count from 0 to 16777216, found -2");
  EXPECT_EQ(why("a", "-1 3:1\n+1 3:1e9\n"), ":2: word 3: expected a count from 0 to 16777216, found 1e+09");
  EXPECT_EQ(why("a.csv", "cat,\n1,2\n"),
            ":1: a column's name is a word, but one is '': rename it, or leave the column out with --target");
  EXPECT_EQ(why("a.csv", "0,0\n"), ": the corpus has no words");
  const std::string vocabulary = files.write("v", "a\nb\nc\n");
  EXPECT_EQ(why("a.csv", "1,2\n", vocabulary), ": the corpus has 2 words, but the vocabulary " + vocabulary + " has 3");
  EXPECT_EQ(why("a", "+1 4:1\n", vocabulary),
            ":1: word 3 is beyond the 3 words of the vocabulary " + vocabulary + ", which are numbered from 0");
}

TEST(Vocabulary, WrongFiles) {
  const ScratchFiles files;
  const auto refused = [&](std::string_view content) {
    const std::string path = files.write("v", content);
    return message_of<DataError>([&] { Vocabulary::read(path); }).substr(path.size());
  };
  EXPECT_EQ(refused(""), ": the file is empty");
  EXPECT_EQ(refused("a\n\nb\n"), ":2: expected a word, found an empty line");
  EXPECT_EQ(refused("a\nb c\n"), ":2: expected one word, found several: 'b c'");
  EXPECT_EQ(refused("a\nb\na\n"), ":3: the word 'a' is already on line 1");
  EXPECT_EQ(refused(std::string_view("a\nb\0\n", 5)), ":2: expected a word, found a NUL byte in 'b\\x00'");
  EXPECT_THROW(Vocabulary::read(files.folder() / "missing"), NoInput);
}

}  // namespace
}  // namespace rota::io
