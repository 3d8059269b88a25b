#include "apps/lda/sampler/shard_tokens.h"

namespace rota::lda {
namespace {

// Three documents over four words; word 3 is replicated.
const std::vector<io::WordCount> kFourDocuments = {{0, 0, 2}, {0, 3, 1}, {1, 1, 3}, {2, 2, 1}, {2, 3, 2}};

TEST(ShardTokens, AreInTheOrderOfTheCut) {
  const ShardTokens tokens({{{0, 2}, {1}}, {3}}, kFourDocuments);
  EXPECT_EQ(tokens.groups().size(), 3U);
  EXPECT_EQ(tokens.topics().size(), 9U);
  const std::vector<std::uint32_t> documents(tokens.documents().begin(), tokens.documents().end());
  EXPECT_EQ(documents, (std::vector<std::uint32_t>{0, 0, 2, 1, 1, 1, 0, 2, 2}));
  const WordTokens* const word = find_word(tokens.groups()[0], 2);
  ASSERT_TRUE(word != nullptr);
  EXPECT_EQ(word->row, 1U);
  EXPECT_EQ(word->begin, 2U);
  EXPECT_EQ(word->count(), 1U);
  EXPECT_EQ(find_word(tokens.replicated(), 2), nullptr);
  EXPECT_EQ(tokens.replicated().at(0).word, 3U);
}

TEST(ShardTokens, TheSampleComesFirst) {
  std::vector<io::WordCount> counts;
  for (std::uint32_t d = 0; d < 20; ++d) counts.push_back({d, d % 2, 1 + d % 3});
  const ShardTokens tokens({{{0, 1}}, {}}, counts, true);
  const WordTokens& even = tokens.groups()[0][0];
  const std::vector<std::uint32_t> sample(tokens.documents().begin(), tokens.documents().begin() + even.sample_end);
  EXPECT_EQ(sample, (std::vector<std::uint32_t>{0, 8, 8, 8, 16, 16}));
  for (std::uint32_t i = even.sample_end; i < even.end; ++i) EXPECT_FALSE(is_sampled(tokens.documents()[i]));
  const WordTokens& odd = tokens.groups()[0][1];
  EXPECT_EQ(odd.sample_end, odd.begin);
}

TEST(ShardTokens, ACutWithoutAWordIsRefused) {
  EXPECT_THROW(ShardTokens({{{0, 2}, {1}}, {}}, kFourDocuments), std::logic_error);
}

}  // namespace
}  // namespace rota::lda
