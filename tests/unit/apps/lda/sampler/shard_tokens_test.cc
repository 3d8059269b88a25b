#include "apps/lda/sampler/shard_tokens.h"

namespace rota::lda {
namespace {

// Three documents over four words; word 3 is replicated.
class Tokens : public ::testing::Test {
 protected:
  Tokens() {
    Cut cut;
    cut.slices = {{0, 2}, {1}};
    cut.replicated = {3};
    tokens_.attach(cut, counts_);
  }
  std::vector<TopicCount> sorted(std::size_t document) const {
    std::vector<TopicCount> cells;
    tokens_.counts_of(document, cells);
    std::sort(cells.begin(), cells.end(), [](TopicCount a, TopicCount b) { return a.topic < b.topic; });
    return cells;
  }

  const std::vector<io::WordCount> counts_ = {{0, 0, 2}, {0, 3, 1}, {1, 1, 3}, {2, 2, 1}, {2, 3, 2}};
  ShardTokens tokens_{4, 3, counts_};
};

TEST_F(Tokens, KnowTheLengthsOfTheirDocuments) {
  EXPECT_EQ(tokens_.size(), 9U);
  EXPECT_EQ(std::vector<std::uint32_t>(tokens_.lengths().begin(), tokens_.lengths().end()),
            (std::vector<std::uint32_t>{3, 3, 3}));
  EXPECT_EQ(tokens_.layout().slice(0).size(), 2U);
  EXPECT_EQ(tokens_.layout().replicated().size(), 1U);
}

TEST_F(Tokens, TakeBackOnlyRowsThatFollowFromTheirTopics) {
  const std::vector<std::uint16_t> topics(tokens_.size(), 2);
  std::vector<DocumentTopics> rows(3);
  for (std::size_t d = 0; d < rows.size(); ++d) rows[d] = {tokens_.rows().is_list(d), {{3, 2}}};
  EXPECT_TRUE(tokens_.restore(topics, rows));
  EXPECT_EQ(sorted(1), (std::vector<TopicCount>{{3, 2}}));
  rows[1].cells = {{2, 2}, {1, 0}};
  EXPECT_FALSE(tokens_.restore(topics, rows));
  rows.pop_back();
  EXPECT_FALSE(tokens_.restore(topics, rows));
  EXPECT_FALSE(tokens_.restore(std::vector<std::uint16_t>(3), std::vector<DocumentTopics>(3)));
}

}  // namespace
}  // namespace rota::lda
