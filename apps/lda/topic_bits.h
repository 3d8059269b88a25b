// apps/lda/topic_bits.h -- the topics of tokens, encoded with the fewest bits that the largest topic allows.
//
//   bits: u8      a count: varint      then the topics, low bits first, filled up with zeros to whole bytes
//
// They are most of a checkpoint.  A general compressor takes ten times as long and gives larger files.
#pragma once
#include <cstdint>
#include <vector>

#include "rota/bytes.h"

namespace rota::lda {

struct TopicBits {
  std::vector<std::uint16_t> of_tokens;

  void encode(Writer& out) const;
  // Calls in.fail() if there are more bits than are needed, or unused bits of the last byte are set.
  void decode(Reader& in);
};

}  // namespace rota::lda
