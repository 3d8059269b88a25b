// apps/lda/topic_bits.h -- the topics of tokens, with the fewest bits that the number of topics allows.
//
//   a count: varint      then bit_width(topics - 1) bits each, low bits first, filled up with zeros to whole bytes
//
// They are most of a checkpoint.  A general compressor takes ten times as long and gives larger files.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/bytes.h"

namespace rota::lda {

// REQUIRES of_tokens below `topics`, which is from 1 to 65,536.
void put_topics(std::span<const std::uint16_t> of_tokens, std::uint32_t topics, Writer& out);

// Calls in.fail() if one is not below `topics`, or unused bits of the last byte are set.
std::vector<std::uint16_t> get_topics(Reader& in, std::uint32_t topics);

}  // namespace rota::lda
