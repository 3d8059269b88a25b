// apps/lda/shard_state.cc
#include "apps/lda/shard_state.h"

#include <limits>
#include <span>
#include <utility>

#include "apps/lda/topic_bits.h"

namespace rota::lda {
namespace {

constexpr std::uint32_t kMagic = 0x3341444c;   // "LDA3"
constexpr std::uint32_t kBefore = 0x3241444c;  // "LDA2", whose topics of tokens are a count, then u16 each
constexpr std::uint64_t kMostTopics = 65535;
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

void decode_documents(Reader& in, ShardState& state) {
  state.documents.resize(in.get_count(2));
  std::vector<std::uint32_t> last_seen(state.topics, 0);  // the document, counted from 1, that had the topic last
  std::uint32_t number = 0;
  for (DocumentTopics& document : state.documents) {
    ++number;
    const auto form = in.get<std::uint8_t>();
    const std::size_t cells = in.get_count(2);
    if (form > 1 || cells > state.topics) in.fail();
    document.is_list = form == 1;
    for (std::size_t i = 0; i < cells && in.ok(); ++i) {
      const auto topic = in.get_bounded<std::uint16_t>(state.topics - 1);
      const auto count = in.get_bounded<std::uint32_t>(kMost32);
      if (!in.ok()) return;
      if (count == 0 || std::exchange(last_seen[topic], number) == number) in.fail();
      document.cells.push_back({count, topic});
    }
    if (!in.ok()) return;
  }
}

void encode_priors(const Priors& priors, Writer& out) {
  for (const double alpha : priors.alphas) out.put(alpha);
  out.put(priors.beta);
}

Priors decode_priors(Reader& in, std::uint32_t topics) {
  Priors priors;
  for (std::uint32_t k = 0; k < topics && in.ok(); ++k) priors.alphas.push_back(in.get<double>());
  priors.beta = in.get<double>();
  for (const double alpha : priors.alphas)
    if (!is_prior(alpha)) in.fail();
  if (!is_prior(priors.beta)) in.fail();
  return priors;
}

std::vector<std::uint16_t> decode_wide_topics(Reader& in, std::uint32_t topics) {
  auto of_tokens = in.get_all<std::uint16_t>();
  for (const std::uint16_t topic : of_tokens)
    if (topic >= topics) in.fail();
  return of_tokens;
}

// The state of learning and held-out documents.
void decode_learned(Reader& in, ShardState& state) {
  state.priors = decode_priors(in, state.topics);
  state.replicated = CountHistogram::decode(in);
  state.held_out = in.get_all<float>();
  state.score.log_probability = in.get<double>();
  state.score.tokens = in.get<double>();
  if (!(state.score.log_probability <= 0 && state.score.log_probability >= std::numeric_limits<double>::lowest()) ||
      !(state.score.tokens >= 0 && state.score.tokens <= kMost32))
    in.fail();
}

}  // namespace

void ShardState::encode(Writer& out) const {
  // The size of the largest part, reserved at once: a buffer that grows is copied again and again.
  std::size_t cells = 0;
  for (const DocumentTopics& document : documents) cells += document.cells.size();
  out.reserve(out.view().size() + 2 * token_topics.size() + 4 * cells + 8 * documents.size() +
              std::size_t{16} * topics);
  out.put(kMagic);
  out.put_varint(topics);
  out.put_varint(shard);
  out.put_varint(shards);
  out.put(delta_t);
  for (const std::int64_t total : committed) out.put_varint(static_cast<std::uint64_t>(total));
  out.put_varint(cursors.size());
  for (const std::uint32_t cursor : cursors) out.put_varint(cursor);
  out.put_varint(documents.size());
  for (const DocumentTopics& document : documents) {
    out.put(static_cast<std::uint8_t>(document.is_list));
    out.put_varint(document.cells.size());
    for (const TopicCount cell : document.cells) {
      out.put_varint(cell.topic);
      out.put_varint(cell.count);
    }
  }
  put_topics(token_topics, topics, out);
  encode_priors(priors, out);
  replicated.encode(out);
  out.put_all(std::span(held_out));
  out.put(score.log_probability);
  out.put(score.tokens);
}

ShardState ShardState::decode(Reader& in) {
  ShardState state;
  const auto magic = in.get<std::uint32_t>();
  if (magic != kMagic && magic != kBefore) in.fail();
  state.topics = in.get_bounded<std::uint32_t>(kMostTopics);
  state.shard = in.get_bounded<ShardId>(kMost32);
  state.shards = in.get_bounded<std::uint32_t>(kMost32);
  state.delta_t = in.get<double>();
  if (state.topics == 0 || state.shard >= state.shards || !(state.delta_t >= 0 && state.delta_t <= 2)) in.fail();
  for (std::uint32_t k = 0; k < state.topics && in.ok(); ++k)
    state.committed.push_back(in.get_bounded<std::int64_t>(kMost32));
  state.cursors.resize(in.get_count(1));
  for (std::uint32_t& cursor : state.cursors) cursor = in.get_bounded<std::uint32_t>(kMost32);
  if (in.ok()) decode_documents(in, state);
  if (in.ok())
    state.token_topics = magic == kMagic ? get_topics(in, state.topics) : decode_wide_topics(in, state.topics);
  if (in.ok()) decode_learned(in, state);
  return state;
}

void encode_vocabulary(const io::Vocabulary& vocabulary, Writer& out) {
  out.put_varint(vocabulary.size());
  for (std::size_t w = 0; w < vocabulary.size(); ++w) out.put_text(vocabulary.word(w));
}

std::vector<std::string> decode_vocabulary(Reader& in) {
  std::vector<std::string> words(in.get_count(1));
  for (std::string& word : words) word = in.get_text();
  return words;
}

}  // namespace rota::lda
