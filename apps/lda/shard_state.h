// apps/lda/shard_state.h -- the saved state of a shard: part of a checkpoint, and the source of the text exports.
//
//   magic: u32           topics: varint         shard, shards: varints
//   delta_t: f64         committed totals: a varint for each topic
//   cursors: a count, then a varint for each slice: the word with which its next visit begins (time control)
//   documents: varint, then for each: form: u8 (1 list, 0 not), cells: varint, then for each: topic, count: varints
//   token topics: topic_bits.h, in the order of the token layout
//   alpha: f64 for each topic                          beta: f64
//   replicated words: a histogram (count_histogram.h) of their committed n_wk
//   held out: a count, then f32 each: the expected topics of the held-out documents (held_out.h)
//   score: log-probability, tokens: f64 each
//
// The document with number i of the shard is number shard + i * shards of the input.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/lda/held_out/held_out.h"
#include "apps/lda/priors/count_histogram.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/bytes.h"
#include "rota/io/vocabulary.h"
#include "rota/types.h"

namespace rota::lda {

using DocumentTopics = ShardTokens::Row;  // different topics, counts not 0

struct ShardState {
  std::uint32_t topics = 0;
  ShardId shard = 0;
  std::uint32_t shards = 1;
  double delta_t = 0;
  std::vector<std::int64_t> committed;
  std::vector<std::uint32_t> cursors;
  std::vector<DocumentTopics> documents;
  std::vector<std::uint16_t> token_topics;
  Priors priors;
  CountHistogram replicated;
  std::vector<float> held_out;
  HeldOutScore score;

  void encode(Writer& out) const;
  // Checks all that can be checked without the data; calls in.fail() if something is wrong.
  static ShardState decode(Reader& in);
};

// What is common to all shards (App::save_common): a count, then a text for each word.
void encode_vocabulary(const io::Vocabulary& vocabulary, Writer& out);
std::vector<std::string> decode_vocabulary(Reader& in);

}  // namespace rota::lda
