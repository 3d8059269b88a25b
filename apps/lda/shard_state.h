// apps/lda/shard_state.h -- the saved state of a shard: part of a checkpoint, and the source of the text exports.
//
// The document with number i of the shard is number shard + i * shards of the input.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/lda/held_out/held_out.h"
#include "apps/lda/priors/learn_priors.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "rota/fields.h"
#include "rota/types.h"

namespace rota::lda {

// The topics of tokens, encoded with the fewest bits that the largest topic allows:
//
//   bits: u8      a count: varint      then the topics, low bits first, filled up with zeros to whole bytes
//
// They are most of a checkpoint.  A general compressor takes ten times as long and gives larger files.
struct TopicBits {
  std::vector<std::uint16_t> of_tokens;

  void encode(Writer& out) const;
  // Calls in.fail() if there are more bits than are needed, or unused bits of the last byte are set.
  void decode(Reader& in);
};

struct ShardState {
  std::uint32_t topics = 0;
  ShardId shard = 0;
  std::uint32_t shards = 1;
  double delta_t = 0;
  std::vector<std::uint32_t> committed;  // n_k
  std::vector<std::uint32_t> cursors;    // of each slice: the word with which its next visit begins (time control)
  std::vector<DocumentTopics> documents;
  TopicBits tokens;  // in the order of the token layout
  Priors priors;
  CountHistogram replicated;    // the committed n_wk of the replicated words
  std::vector<float> held_out;  // the expected topics of the held-out documents (held_out.h)
  HeldOutScore score;

  void fields(auto& list) {
    list(topics, shard, shards, delta_t, committed, cursors, documents, tokens, priors, replicated, held_out, score);
  }
  // Calls in.fail() if something is wrong that can be checked without the data.
  static ShardState read(Reader& in);

 private:
  bool valid() const;
};

}  // namespace rota::lda
