#include "apps/lda/corpus.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

Job job_over(const std::string& path, std::uint32_t shards) {
  Job job;
  job.input = {path};
  job.shards = shards;
  return job;
}

using LdaCorpus = tests::WithFiles;

TEST_F(LdaCorpus, DocumentsAreDealtToShardsInTurn) {
  const Job job = job_over(files.write("text", "a\nb b\n\nc a\nd\n"), 2);
  const ShardId hosted[] = {1, 0};
  const auto [corpus, shards] = load_corpus(job, Settings{}, hosted);
  ASSERT_EQ(shards.size(), 2U);
  const ShardDocuments& odd = shards[0];
  EXPECT_EQ(odd.train.number, 2U);
  ASSERT_EQ(odd.train.counts.size(), 4U);  // b b, c a
  EXPECT_EQ(odd.train.counts[0].document, 0U);
  EXPECT_EQ(odd.train.counts[2].document, 1U);
  EXPECT_EQ(odd.train.counts[2].word, 2U);
  EXPECT_EQ(shards[1].train.number, 3U);
  EXPECT_EQ(shards[1].train.counts.size(), 2U);  // a, none, d
  EXPECT_EQ(corpus.tokens, 6U);
}

TEST_F(LdaCorpus, VocabularyIsThatOfAllShards) {
  const Job job = job_over(files.write("text", "a\nb\nc\n"), 3);
  const ShardId last[] = {2};
  const auto [corpus, shards] = load_corpus(job, Settings{}, last);
  ASSERT_EQ(corpus.vocabulary.size(), 3U);
  EXPECT_EQ(corpus.vocabulary[2], "c");
  EXPECT_EQ(shards[0].train.counts.at(0).word, 2U);
}

TEST_F(LdaCorpus, WordsWithoutNamesAreNumbered) {
  const Job job = job_over(files.write("bag", "1\n3\n1\n1 2 1\n"), 2);
  const ShardId first[] = {0}, second[] = {1};
  const auto [corpus, shards] = load_corpus(job, Settings{}, first);
  EXPECT_EQ(corpus.vocabulary.size(), 3U);
  EXPECT_EQ(corpus.vocabulary[2], "3");
  EXPECT_EQ(load_corpus(job, Settings{}, second).common.vocabulary.size(), 0U) << "it is not needed there";
}

TEST_F(LdaCorpus, WordsOfLdaCAreNumberedFromZero) {
  Job job = job_over(files.write("train", "1 0:1\n1 2:4\n"), 2);
  const ShardId hosted[] = {0, 1};
  EXPECT_EQ(load_corpus(job, Settings{}, hosted).common.vocabulary[2], "2");

  job.valid = {files.write("valid", "2 0:1 3:5\n")};
  const auto [corpus, shards] = load_corpus(job, Settings{}, hosted);
  EXPECT_EQ(corpus.words, 3U);
  ASSERT_EQ(shards[0].held_out.counts.size(), 1U) << "word 3 is not in the training data";
  EXPECT_EQ(shards[0].held_out.counts[0].word, 0U);

  Settings named;
  named.vocabulary = files.write("v", "a\nb\nc\n");
  EXPECT_THROW(load_corpus(job, named, hosted), DataError);
  job.valid = {files.write("other", "1 3:5\n")};
  EXPECT_THROW(load_corpus(job, Settings{}, hosted), DataError) << "nothing is left";
}

TEST_F(LdaCorpus, NumbersAreNoWordsOfText) {
  const std::string text = files.write("text", "a b\n"), lda_c = files.write("lda-c", "2 0:1 1:1\n");
  const std::string bag = files.write("bag", "1\n2\n1\n1 1 1\n"), digits = files.write("digits", "x 0 1\n");
  const ShardId hosted[] = {0};
  const auto why = [&](const std::string& train, const std::string& valid, const Settings& settings) {
    Job job = job_over(train, 1);
    job.valid = {valid};
    return tests::message_of<DataError>([&] { load_corpus(job, settings, hosted); });
  };
  for (const std::string& numbers : {lda_c, bag}) {
    EXPECT_NE(why(text, numbers, {}).find("have numbers for words, and the training data has names"),
              std::string::npos);
    EXPECT_NE(why(numbers, digits, {}).find("have names of words, and the training data has numbers"),
              std::string::npos);
  }
  Settings named;
  named.vocabulary = files.write("v", "b\na\n");
  Job job = job_over(text, 1);
  job.valid = {lda_c};
  EXPECT_EQ(load_corpus(job, named, hosted).hosted[0].held_out.counts.at(0).word, 0U);
  EXPECT_EQ(why(lda_c, bag, {}), "no error") << "both are numbered";
}

TEST_F(LdaCorpus, HeldOutDocumentsAreDealtAlikeAndAddNoWords) {
  Job job = job_over(files.write("text", "a b\nc\n"), 2);
  job.valid = {files.write("valid", "c x\na\nx\nb b y\n")};
  const ShardId hosted[] = {1};
  const auto [corpus, shards] = load_corpus(job, Settings{}, hosted);
  EXPECT_EQ(corpus.vocabulary.size(), 3U);
  EXPECT_EQ(corpus.tokens, 3U);
  EXPECT_EQ(shards[0].held_out.number, 2U);
  ASSERT_EQ(shards[0].held_out.counts.size(), 3U);  // a, b b
  EXPECT_EQ(shards[0].held_out.counts[0].word, 0U);
  EXPECT_EQ(shards[0].held_out.counts[1].document, 1U);

  job.valid = {files.write("bag", "1\n4\n1\n1 2 1\n")};
  EXPECT_THROW(load_corpus(job, Settings{}, hosted), DataError);
}

TEST(LdaShards, GrowWithTheRootOfTheTextSoThatTasksStayLong) {
  constexpr std::uint64_t kMega = 1'000'000;
  EXPECT_EQ(shards_for(0), 8U);
  EXPECT_EQ(shards_for(80 * kMega), 8U);
  EXPECT_EQ(shards_for(16 * 16 * 2 * 160'000 - 1), 8U);
  EXPECT_EQ(shards_for(16 * 16 * 2 * 160'000), 16U);
  EXPECT_EQ(shards_for(200 * kMega), 16U);
  EXPECT_EQ(shards_for(800 * kMega), 32U);
  EXPECT_EQ(shards_for(std::uint64_t{1} << 50), 256U);
}

}  // namespace
}  // namespace rota::lda
