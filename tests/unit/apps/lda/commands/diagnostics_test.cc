#include "apps/lda/commands/commands.h"
#include "tests/unit/apps/lda/small_model.h"

namespace rota::lda {
namespace {

TEST(Diagnostics, AreThoseOfTheirFormulas) {
  const TrainedModel model = tests::small_model();
  // Documents: cat dog; cat; dog owl; owl; none.
  const std::vector<NewDocument> reference = {{{0, 1}, {1, 5}}, {{0, 2}}, {{1, 1}, {2, 1}, {1, 1}}, {{2, 1}}, {}};
  const auto top = top_words(model, 2);
  const auto topics = diagnose(model, top, reference);
  ASSERT_EQ(topics.size(), 3U);
  EXPECT_NEAR(*topics[0].effective_words, 1 / (0.36 + 0.09 + 0.01), 1e-12);
  EXPECT_NEAR(*topics[1].uniform_nats, 0.2 * std::log(0.8) + 0.8 * std::log(3.2), 1e-12);
  EXPECT_NEAR(*topics[1].corpus_nats, 0.2 * std::log(0.2 * 15 / 4) + 0.8 * std::log(0.8 * 15 / 4), 1e-12);
  EXPECT_NEAR(*topics[0].exclusivity, (1 + 0.3 / (0.3 + 0.2)) / 2, 1e-12);  // cat, dog
  EXPECT_NEAR(*topics[0].umass, std::log(2.0 / 2), 1e-12);                  // one document of both, two of cat
  EXPECT_NEAR(*topics[0].npmi, std::log(0.2 / (0.4 * 0.4)) / -std::log(0.2), 1e-12);
}

TEST(Diagnostics, UndefinedFiguresAreLeftOut) {
  const TrainedModel model = tests::small_model();
  const auto topics = diagnose(model, top_words(model, 2), {{{3, 1}}});
  const TopicDiagnostics& empty = topics[2];
  EXPECT_FALSE(empty.effective_words || empty.uniform_nats || empty.corpus_nats || empty.exclusivity);
  for (const TopicDiagnostics& topic : topics) EXPECT_FALSE(topic.umass || topic.npmi) << "no word is there twice";
}

TEST(Diagnostics, WordsOfAllDocumentsHaveTheLargestCoherence) {
  const TrainedModel model = tests::small_model();
  const auto topics = diagnose(model, top_words(model, 2), {{{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}});
  EXPECT_EQ(*topics[0].npmi, 1);
}

TEST(Diagnostics, WordsNeverTogetherHaveTheLeastCoherence) {
  const TrainedModel model = tests::small_model();
  const auto topics = diagnose(model, top_words(model, 2), {{{0, 1}}, {{1, 1}}});
  EXPECT_EQ(*topics[0].npmi, -1);
  EXPECT_EQ(*topics[0].umass, 0);  // ln((0 + 1) / 1)
}

}  // namespace
}  // namespace rota::lda
