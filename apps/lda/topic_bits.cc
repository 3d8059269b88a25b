#include "apps/lda/topic_bits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace rota::lda {
namespace {

constexpr unsigned kPiece = 32;  // bits that are moved at a time

unsigned bits_of(const std::vector<std::uint16_t>& topics) {
  const auto largest = std::max_element(topics.begin(), topics.end());
  return largest == topics.end() ? 1 : std::max(1U, static_cast<unsigned>(std::bit_width(*largest)));
}

}  // namespace

void TopicBits::encode(Writer& out) const {
  const unsigned bits = bits_of(of_tokens);
  const std::size_t bytes = (of_tokens.size() * bits + 7) / 8;
  std::vector<std::byte> packed(bytes + kPiece / 8);
  std::byte* to = packed.data();
  std::uint64_t held = 0;
  unsigned filled = 0;  // bits of it
  for (const std::uint64_t topic : of_tokens) {
    held |= topic << filled;
    filled += bits;
    if (filled < kPiece) continue;
    std::memcpy(to, &held, kPiece / 8);
    to += kPiece / 8;
    held >>= kPiece;
    filled -= kPiece;
  }
  std::memcpy(to, &held, kPiece / 8);
  out.put(static_cast<std::uint8_t>(bits));
  out.put_varint(of_tokens.size());
  out.append(packed.data(), bytes);
}

void TopicBits::decode(Reader& in) {
  const unsigned bits = in.get<std::uint8_t>();
  const std::uint64_t count = in.get_varint();
  if (bits == 0 || bits > 16 || count > std::uint64_t{1} << 48) in.fail();
  std::span<const std::byte> packed = in.get_bytes(in.ok() ? (static_cast<std::size_t>(count) * bits + 7) / 8 : 0);
  if (!in.ok()) return;
  of_tokens.resize(static_cast<std::size_t>(count));
  std::uint64_t held = 0;
  unsigned filled = 0;
  for (std::uint16_t& topic : of_tokens) {
    if (filled < bits) {
      std::uint64_t piece = 0;
      const std::size_t size = std::min<std::size_t>(packed.size(), kPiece / 8);
      std::memcpy(&piece, packed.data(), size);
      packed = packed.subspan(size);
      held |= piece << filled;
      filled += kPiece;
    }
    topic = static_cast<std::uint16_t>(held & ((1U << bits) - 1));
    held >>= bits;
    filled -= bits;
  }
  if (held != 0 || bits != bits_of(of_tokens)) in.fail();
}

}  // namespace rota::lda
