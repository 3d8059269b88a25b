// apps/lda/shard_state.h -- the saved state of a shard: part of a checkpoint, and the source of the text exports.
//
// The document with number i of the shard is number shard + i * shards of the input.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "apps/lda/held_out.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/fields.h"

namespace rota::lda {

// The topics of tokens, encoded with the fewest bits that the largest topic allows:
//
//   bits: u8      a count: varint      then the topics, low bits first, filled up with zeros to whole bytes
//
// They are most of a checkpoint.  A general compressor takes ten times as long and gives larger files.
struct TopicBits {
  std::vector<std::uint16_t> of_tokens;

  void encode(Writer& out) const {
    const unsigned bits = bits_each();
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
  // Calls in.fail() if there are more bits than are needed, or unused bits of the last byte are set.
  void decode(Reader& in) {
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
    if (held != 0 || bits != bits_each()) in.fail();
  }

 private:
  unsigned bits_each() const {
    return of_tokens.empty() ? 1 : std::max(1U, static_cast<unsigned>(std::bit_width(std::ranges::max(of_tokens))));
  }
};

struct ShardState {
  double delta_t = 0;
  std::vector<std::int64_t> committed;  // n_k
  std::vector<std::uint32_t> cursors;   // of each slice: the word with which its next visit begins (time control)
  std::vector<std::vector<TopicCount>> documents;  // n_dk: of a list in its order (document_rows.h)
  TopicBits tokens;                                // in the order of ShardTokens
  Priors priors;
  CountHistogram replicated;    // the committed n_wk of the replicated words
  std::vector<float> held_out;  // the expected topics of the held-out documents (held_out.h)
  HeldOutScore score;

  void fields(auto& list) {
    list(delta_t, committed, cursors, documents, tokens, priors, replicated, held_out, score);
    if (list.reads()) list.check(valid());
  }

 private:
  // What can be checked without the data.
  bool valid() const {
    const std::size_t topics = committed.size();
    if (topics > std::numeric_limits<std::uint16_t>::max() || priors.topics() != topics) return false;
    if (!(delta_t >= 0 && delta_t <= 2)) return false;
    std::vector<std::uint32_t> last_seen(topics, 0);  // the document, counted from 1, that had the topic last
    std::uint32_t number = 0;
    for (const auto& document : documents) {
      ++number;
      for (const TopicCount cell : document)
        if (cell.topic >= topics || std::exchange(last_seen[cell.topic], number) == number) return false;
    }
    return std::ranges::all_of(tokens.of_tokens, [&](std::uint16_t topic) { return topic < topics; });
  }
};

}  // namespace rota::lda
