#include "apps/lda/shard_state.h"

namespace rota::lda {
namespace {

ShardState sample() {
  ShardState state;
  state.topics = 3;
  state.shard = 0;
  state.shards = 2;
  state.delta_t = 0.25;
  state.committed = {4, 0, 300};
  state.cursors = {0, 7};
  state.documents = {{true, {{2, 2}, {1, 0}}}, {}, {false, {{1, 1}}}};
  state.tokens.of_tokens = {2, 2, 0, 1};
  state.priors = {{0.1, 0.2, 0.3}, 0.01};
  state.replicated.add(7, 2);
  state.held_out = {0.5F, 1.5F, 0};
  state.score = {-12.5, 3};
  return state;
}

std::vector<std::byte> encoded(const ShardState& state) {
  Writer out;
  write_fields(out, state);
  return out.take();
}
bool decodes(const ShardState& state) {
  const auto bytes = encoded(state);
  Reader in(bytes);
  ShardState::read(in);
  return in.done();
}

TEST(ShardState, ComesBackAsItWas) {
  const auto bytes = encoded(sample());
  Reader in(bytes);
  const ShardState state = ShardState::read(in);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(encoded(state), bytes);
  EXPECT_EQ(state.documents[0].cells, sample().documents[0].cells);
  EXPECT_EQ(state.priors, sample().priors);
  EXPECT_EQ(state.replicated, sample().replicated);
  EXPECT_EQ(state.held_out, sample().held_out);
  EXPECT_EQ(state.score.log_probability, -12.5);
  EXPECT_EQ(state.score.tokens, 3);
}

TEST(ShardState, EveryTruncationIsRefused) {
  const auto bytes = encoded(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader in(std::span<const std::byte>(bytes).first(size));
    ShardState::read(in);
    EXPECT_FALSE(in.done()) << size;
  }
}

TEST(ShardState, NoByteCanDoHarm) {
  const auto right = encoded(sample());
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      auto wrong = right;
      wrong[at] = static_cast<std::byte>(value);
      Reader in(wrong);
      const ShardState state = ShardState::read(in);
      if (!in.done()) continue;
      for (const std::uint16_t topic : state.tokens.of_tokens) EXPECT_LT(topic, state.topics);
      for (const double alpha : state.priors.alphas) EXPECT_TRUE(is_prior(alpha));
      for (const DocumentTopics& document : state.documents)
        for (const TopicCount cell : document.cells) EXPECT_TRUE(cell.topic < state.topics && cell.count > 0);
    }
  }
}

TEST(ShardState, InvalidInputIsRefused) {
  EXPECT_TRUE(decodes(sample()));
  const auto refused = [](auto change) {
    ShardState state = sample();
    change(state);
    return !decodes(state);
  };
  EXPECT_TRUE(refused([](ShardState& s) { s.tokens.of_tokens[0] = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.shard = 2; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.delta_t = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.delta_t = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0].cells[1].topic = 2; }));  // twice
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0].cells[1].topic = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0].cells[1].count = 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.topics = 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.committed.pop_back(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.priors.alphas[1] = 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.priors.beta = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.score.log_probability = 1; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.score.tokens = std::numeric_limits<double>::quiet_NaN(); }));
}

}  // namespace
}  // namespace rota::lda
