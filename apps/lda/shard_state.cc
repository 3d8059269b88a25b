// apps/lda/shard_state.cc -- what a shard saves, and the checks before it restores that.
#include "apps/lda/shard_state.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "apps/lda/push.h"

namespace rota::lda {
namespace {

unsigned bits_of(const std::vector<std::uint16_t>& topics) {
  const auto largest = std::max_element(topics.begin(), topics.end());
  return largest == topics.end() ? 1 : std::max(1U, static_cast<unsigned>(std::bit_width(*largest)));
}

}  // namespace

void TopicBits::encode(Writer& out) const {
  const unsigned bits = bits_of(of_tokens);
  std::vector<std::uint8_t> packed;
  packed.reserve((of_tokens.size() * bits + 7) / 8);
  std::uint64_t held = 0;  // `filled` bits that are not yet written
  unsigned filled = 0;
  for (const std::uint16_t topic : of_tokens) {
    held |= std::uint64_t{topic} << filled;
    for (filled += bits; filled >= 8; filled -= 8, held >>= 8) packed.push_back(static_cast<std::uint8_t>(held));
  }
  if (filled > 0) packed.push_back(static_cast<std::uint8_t>(held));
  out.put(static_cast<std::uint8_t>(bits));
  out.put_varint(of_tokens.size());
  out.append(packed.data(), packed.size());
}

void TopicBits::decode(Reader& in) {
  const unsigned bits = in.get<std::uint8_t>();
  const std::uint64_t count = in.get_varint();
  if (bits == 0 || bits > 16 || count > std::uint64_t{1} << 48) in.fail();
  const auto packed = in.get_bytes(in.ok() ? (static_cast<std::size_t>(count) * bits + 7) / 8 : 0);
  if (!in.ok()) return;
  of_tokens.reserve(static_cast<std::size_t>(count));
  std::uint64_t held = 0;
  unsigned filled = 0;
  for (const std::byte byte : packed) {
    held |= std::to_integer<std::uint64_t>(byte) << filled;
    for (filled += 8; filled >= bits && of_tokens.size() < count; filled -= bits, held >>= bits)
      of_tokens.push_back(static_cast<std::uint16_t>(held & ((1U << bits) - 1)));
  }
  if (held != 0 || bits != bits_of(of_tokens)) in.fail();
}

ShardState ShardState::read(Reader& in) {
  ShardState state;
  Archive list(in);
  list(state);
  if (in.ok() && !state.valid()) in.fail();
  return state;
}

bool ShardState::valid() const {
  if (topics == 0 || topics > std::numeric_limits<std::uint16_t>::max() || shard >= shards) return false;
  if (!(delta_t >= 0 && delta_t <= 2) || committed.size() != topics || priors.topics() != topics) return false;
  std::vector<std::uint32_t> last_seen(topics, 0);  // the document, counted from 1, that had the topic last
  std::uint32_t number = 0;
  for (const DocumentTopics& document : documents) {
    ++number;
    for (const TopicCount cell : document.cells)
      if (cell.topic >= topics || std::exchange(last_seen[cell.topic], number) == number) return false;
  }
  return std::all_of(tokens.of_tokens.begin(), tokens.of_tokens.end(),
                     [&](std::uint16_t topic) { return topic < topics; });
}

void LdaPush::save(Writer& out) const {
  ShardState state;
  state.topics = settings_.topics;
  state.shard = shard_;
  state.shards = shards_;
  state.delta_t = delta_t_;
  state.committed.assign(totals_.committed().begin(), totals_.committed().end());
  state.cursors = cursors_;
  state.documents.resize(tokens_.lengths().size());
  std::vector<TopicCount> counts;  // reused
  for (std::size_t d = 0; d < state.documents.size(); ++d) {
    state.documents[d].is_list = tokens_.rows().is_list(d);
    tokens_.counts_of(d, counts);
    state.documents[d].cells = counts;
  }
  state.tokens.of_tokens.assign(tokens_.layout().topics().begin(), tokens_.layout().topics().end());
  state.priors = priors_;
  state.replicated = replicated_counts_;
  state.held_out = held_out_.expected();
  state.score = score_;
  // The size of the largest part, reserved at once: a buffer that grows is copied again and again.
  out.reserve(out.view().size() + 2 * state.tokens.of_tokens.size() + 8 * state.documents.size());
  write_fields(out, state);
}

void LdaPush::restore(Reader& in) {
  const ShardState state = ShardState::read(in);
  if (!in.ok() || !fits(state) || !held_out_.set_expected(state.held_out)) return in.fail();
  if (!tokens_.restore(state.tokens.of_tokens, state.documents)) return in.fail();
  const std::vector<double> committed(state.committed.begin(), state.committed.end());
  totals_.commit(committed);
  set_priors(state.priors);
  cursors_ = state.cursors;
  delta_t_ = state.delta_t;
  visited_ = {};
  replicated_counts_ = state.replicated;
  score_ = state.score;
}

// Whether a state belongs to this shard and its data.
bool LdaPush::fits(const ShardState& state) const {
  if (state.topics != settings_.topics || state.shard != shard_ || state.shards != shards_) return false;
  if (state.documents.size() != tokens_.lengths().size() || state.tokens.of_tokens.size() != tokens_.size())
    return false;
  if (state.cursors.size() != cursors_.size()) return false;
  for (SliceId b = 0; b < cursors_.size(); ++b) {
    const std::size_t words = tokens_.layout().slice(b).size();
    if (state.cursors[b] >= std::max<std::size_t>(words, 1)) return false;
  }
  std::uint64_t total = 0;
  for (const std::uint32_t each : state.committed) total += each;
  if (total != corpus_tokens_) return false;
  if (!speaks_for_all_ && !state.replicated.empty()) return false;
  return true;
}

}  // namespace rota::lda
