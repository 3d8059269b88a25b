#include "apps/lda/shard_state.h"

#include <bit>

namespace rota::lda {
namespace {

ShardState sample_state() {
  ShardState state;
  state.delta_t = 0.25;
  state.committed = {4, 0, 300};
  state.cursors = {0, 7};
  state.documents = {{{2, 2}, {1, 0}}, {}, {{1, 1}}};
  state.tokens.of_tokens = {2, 2, 0, 1};
  state.priors = {{0.1, 0.2, 0.3}, 0.01};
  state.replicated.add(7);
  state.held_out = {0.5F, 1.5F, 0};
  state.score = {-12.5, 3};
  return state;
}

std::vector<std::byte> encoded(const ShardState& state) {
  Writer out;
  write_fields(out, state);
  return out.take();
}
ShardState decoded(Reader& in) {
  ShardState state;
  Archive list(in);
  list(state);
  return state;
}
bool decodes(const ShardState& state) {
  const auto bytes = encoded(state);
  Reader in(bytes);
  decoded(in);
  return in.done();
}

TEST(ShardState, ComesBackAsItWas) {
  const auto bytes = encoded(sample_state());
  Reader in(bytes);
  const ShardState state = decoded(in);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(encoded(state), bytes);
  EXPECT_EQ(state.documents, sample_state().documents);
  EXPECT_EQ(state.priors, sample_state().priors);
  EXPECT_EQ(state.replicated, sample_state().replicated);
  EXPECT_EQ(state.held_out, sample_state().held_out);
  EXPECT_EQ(state.score.log_probability, -12.5);
  EXPECT_EQ(state.score.tokens, 3);
}

TEST(ShardState, EveryTruncationIsRefused) {
  const auto bytes = encoded(sample_state());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader in(std::span<const std::byte>(bytes).first(size));
    decoded(in);
    EXPECT_FALSE(in.done()) << size;
  }
}

TEST(ShardState, NoByteCanDoHarm) {
  const auto right = encoded(sample_state());
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      auto wrong = right;
      wrong[at] = static_cast<std::byte>(value);
      Reader in(wrong);
      const ShardState state = decoded(in);
      if (!in.done()) continue;
      for (const std::uint16_t topic : state.tokens.of_tokens) EXPECT_LT(topic, state.committed.size());
      for (const double alpha : state.priors.alphas) EXPECT_TRUE(is_prior(alpha));
      for (const auto& document : state.documents)
        for (const TopicCount cell : document) EXPECT_TRUE(cell.topic < state.committed.size() && cell.count > 0);
    }
  }
}

TEST(ShardState, InvalidInputIsRefused) {
  EXPECT_TRUE(decodes(sample_state()));
  const auto refused = [](auto change) {
    ShardState state = sample_state();
    change(state);
    return !decodes(state);
  };
  EXPECT_TRUE(refused([](ShardState& s) { s.tokens.of_tokens[0] = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.delta_t = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.delta_t = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0][1].topic = 2; }));  // twice
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0][1].topic = 3; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0][1].count = 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.committed.pop_back(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.priors.alphas[1] = 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.priors.beta = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.score.log_probability = 1; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.score.tokens = std::numeric_limits<double>::quiet_NaN(); }));
}

std::vector<std::uint16_t> some_topics(std::size_t count, std::uint32_t topics) {
  std::vector<std::uint16_t> of_tokens(count);
  std::uint32_t state = 12345;
  for (std::uint16_t& topic : of_tokens) {
    state = state * 1664525 + 1013904223;
    topic = static_cast<std::uint16_t>((state >> 8) % topics);
  }
  if (count > 0) of_tokens.back() = static_cast<std::uint16_t>(topics - 1);
  return of_tokens;
}

std::vector<std::byte> packed(std::vector<std::uint16_t> of_tokens) {
  Writer out;
  TopicBits{std::move(of_tokens)}.encode(out);
  return out.take();
}
std::vector<std::uint16_t> unpacked(Reader& in) {
  TopicBits topics;
  topics.decode(in);
  return topics.of_tokens;
}

TEST(TopicBits, ComeBackWhateverTheirNumber) {
  for (std::uint32_t topics = 1; topics <= 65535; topics = topics * 2 + (topics < 9 ? 1 : topics % 3)) {
    for (std::size_t count = 0; count < 40; ++count) {
      const auto of_tokens = some_topics(count, topics);
      const auto bytes = packed(of_tokens);
      const auto bits = static_cast<std::size_t>(topics > 2 ? std::bit_width(topics - 1) : 1);
      EXPECT_EQ(bytes.size(), 2 + (count * (count > 0 ? bits : 1) + 7) / 8);
      Reader in(bytes);
      EXPECT_EQ(unpacked(in), of_tokens) << topics << " topics, " << count << " tokens";
      EXPECT_TRUE(in.done());
    }
  }
  for (const std::uint32_t topics : {255U, 256U, 257U, 32768U, 32769U, 65535U, 65536U}) {
    const auto of_tokens = some_topics(1001, topics);
    const auto bytes = packed(of_tokens);
    Reader in(bytes);
    EXPECT_EQ(unpacked(in), of_tokens) << topics;
  }
}

// The encoding described above: 5 topics of 3 bits.
TEST(TopicBits, AreLowBitsFirst) {
  const std::vector<std::uint16_t> of_tokens = {1, 2, 3, 4, 0};
  const auto bytes = packed(of_tokens);
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(bytes[0], std::byte{3});
  EXPECT_EQ(bytes[1], std::byte{5});
  EXPECT_EQ(static_cast<unsigned>(bytes[2]) | static_cast<unsigned>(bytes[3]) << 8, 1U | 2U << 3 | 3U << 6 | 4U << 9);
}

TEST(TopicBits, InvalidBytesAreRefused) {
  const auto right = packed(some_topics(21, 5));
  for (std::size_t size = 0; size < right.size(); ++size) {
    Reader in(std::span<const std::byte>(right).first(size));
    unpacked(in);
    EXPECT_FALSE(in.ok()) << size;
  }
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      auto wrong = right;
      wrong[at] = static_cast<std::byte>(value);
      Reader in(wrong);
      const auto of_tokens = unpacked(in);
      if (!in.done()) continue;
      EXPECT_EQ(packed(of_tokens), wrong) << "one form for each";
    }
  }
  Writer long_count;
  long_count.put(std::uint8_t{3});
  long_count.put_varint(~std::uint64_t{0});
  Reader in(long_count.view());
  unpacked(in);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace rota::lda
