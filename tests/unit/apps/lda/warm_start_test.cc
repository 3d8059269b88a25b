#include "apps/lda/warm_start.h"

#include "rota/error.h"
#include "tests/unit/apps/lda/small_model.h"

namespace rota::lda {
namespace {

using Words = std::vector<std::string>;

TEST(OldModel, GivesPhiOfTheWordsThatItKnows) {
  TrainedModel trained = tests::small_model();
  trained.words[3].clear();
  const OldModel model(trained, 3, Words({"new", "dog", "sun"}));
  EXPECT_EQ(model.priors(), trained.priors);
  std::vector<double> phi(3), expected(3);
  model.phi(1, phi);
  phi_of_word(trained, 1, expected);
  EXPECT_EQ(phi, expected);
  for (const std::uint32_t unknown : {0U, 2U}) {
    model.phi(unknown, phi);
    EXPECT_EQ(phi[0], phi[1]);
  }
}

// A bag of words counts from 1, LDA-C from 0: every word was confused with its neighbour.
TEST(OldModel, WordsWithoutNamesAreThoseOfTheSamePlace) {
  TrainedModel trained = tests::small_model();
  std::vector<double> phi(3), expected(3);
  for (const std::uint32_t first : {0U, 1U}) {
    for (std::uint32_t w = 0; w < 4; ++w) trained.vocabulary[w] = std::to_string(w + first);
    for (const Words& words : {Words({"0", "1", "2"}), Words({"1", "2", "3", "4", "5"})}) {
      const OldModel model(trained, 3, words);
      for (std::uint32_t w = 0; w < 3; ++w) {
        model.phi(w, phi);
        phi_of_word(trained, w, expected);
        EXPECT_EQ(phi, expected);
      }
    }
  }
  trained.vocabulary = {"1", "3", "5", "7"};  // names that are numbers by chance
  const OldModel model(trained, 3, Words({"0", "1"}));
  model.phi(1, phi);
  phi_of_word(trained, 0, expected);
  EXPECT_EQ(phi, expected);
}

TEST(OldModel, OneOfOtherTopicsOrOtherWordsIsRefused) {
  EXPECT_THROW(OldModel(tests::small_model(), 2, Words({"cat"})), UsageError);
  EXPECT_THROW(OldModel(tests::small_model(), 3, Words({"zebra"})), DataError);
}

TEST(OldModel, DrawsInProportion) {
  const OldModel model(tests::small_model(), 3, Words({"cat", "dog"}));
  const std::vector<double> alphas = {0.3, 0.2, 0.1};
  constexpr int kTokens = 2000;
  ShardTokens tokens({{{0, 1}}, {}}, std::vector<io::WordCount>{{0, 0, kTokens}});
  DocumentRows documents(3, {kTokens});
  TopicTotals totals(3, 0.1, 0.05);
  WordRow row = {{5, 1}};
  Random random({1, 2, 3, 4});
  model.draw(tokens.groups()[0][0], alphas, row, tokens, documents, totals, random);
  // A cat is 50 times more probable in topic 0.
  EXPECT_EQ(row[0].topic, 0U);
  EXPECT_GT(row[0].count, 0.95 * kTokens);
  std::uint32_t sum = 0;
  for (const TopicCount cell : row) sum += cell.count;
  EXPECT_EQ(sum, kTokens + 5U);
  std::vector<TopicCount> of_document;
  documents.counts_of(0, of_document);
  EXPECT_EQ(of_document[0], row[0]);
}

}  // namespace
}  // namespace rota::lda
