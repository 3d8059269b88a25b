#include "apps/lda/topic_bits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace rota::lda {
namespace {

constexpr std::size_t kRun = 8;  // topics that together take whole bytes, for any number of bits

unsigned bits_of(const std::vector<std::uint16_t>& topics) {
  const auto largest = std::max_element(topics.begin(), topics.end());
  return largest == topics.end() ? 1 : std::max(1U, static_cast<unsigned>(std::bit_width(*largest)));
}

// kRun topics of `bits` bits, up to 16, take `bits` bytes.
void pack(const std::uint16_t* topics, unsigned bits, std::byte* to) {
  std::uint64_t low = 0, high = 0;
  for (unsigned i = 0; i < kRun / 2; ++i) {
    low |= std::uint64_t{topics[i]} << (bits * i);
    high |= std::uint64_t{topics[i + kRun / 2]} << (bits * i);
  }
  const unsigned half = bits * (kRun / 2);  // 4 to 64 bits
  const std::uint64_t first = half == 64 ? low : low | high << half;
  const std::uint64_t rest = half == 64 ? high : half > 32 ? high >> (64 - half) : 0;
  std::memcpy(to, &first, std::min<std::size_t>(bits, 8));
  if (bits > 8) std::memcpy(to + 8, &rest, bits - 8);
}

void unpack(const std::byte* from, unsigned bits, std::uint16_t* topics) {
  std::uint64_t first = 0, rest = 0;
  std::memcpy(&first, from, std::min<std::size_t>(bits, 8));
  if (bits > 8) std::memcpy(&rest, from + 8, bits - 8);
  const unsigned half = bits * (kRun / 2);
  const std::uint64_t high = half == 64 ? rest : half > 32 ? first >> half | rest << (64 - half) : first >> half;
  const auto mask = static_cast<std::uint64_t>((std::uint32_t{1} << bits) - 1);
  for (unsigned i = 0; i < kRun / 2; ++i) {
    topics[i] = static_cast<std::uint16_t>(first >> (bits * i) & mask);
    topics[i + kRun / 2] = static_cast<std::uint16_t>(high >> (bits * i) & mask);
  }
}

}  // namespace

void TopicBits::encode(Writer& out) const {
  const unsigned bits = bits_of(of_tokens);
  std::vector<std::byte> packed((of_tokens.size() + kRun - 1) / kRun * bits);
  std::byte* to = packed.data();
  std::size_t at = 0;
  for (; at + kRun <= of_tokens.size(); at += kRun, to += bits) pack(of_tokens.data() + at, bits, to);
  if (at < of_tokens.size()) {
    std::uint16_t last[kRun] = {};
    std::copy(of_tokens.begin() + static_cast<std::ptrdiff_t>(at), of_tokens.end(), last);
    pack(last, bits, to);
  }
  out.put(static_cast<std::uint8_t>(bits));
  out.put_varint(of_tokens.size());
  out.append(packed.data(), (of_tokens.size() * bits + 7) / 8);
}

void TopicBits::decode(Reader& in) {
  const unsigned bits = in.get<std::uint8_t>();
  const std::uint64_t count = in.get_varint();
  if (bits == 0 || bits > 16 || count > std::uint64_t{1} << 48) in.fail();
  const auto packed = in.get_bytes(in.ok() ? (static_cast<std::size_t>(count) * bits + 7) / 8 : 0);
  if (!in.ok()) return;
  of_tokens.resize(static_cast<std::size_t>(count));
  std::size_t at = 0;
  const std::byte* from = packed.data();
  for (; at + kRun <= of_tokens.size(); at += kRun, from += bits) unpack(from, bits, of_tokens.data() + at);
  if (at < of_tokens.size()) {
    std::byte bytes[2 * kRun] = {};
    std::copy(from, packed.data() + packed.size(), bytes);
    std::uint16_t last[kRun];
    unpack(bytes, bits, last);
    std::copy_n(last, of_tokens.size() - at, of_tokens.begin() + static_cast<std::ptrdiff_t>(at));
    if (std::any_of(last + (of_tokens.size() - at), last + kRun, [](std::uint16_t topic) { return topic != 0; }))
      in.fail();
  }
  if (bits != bits_of(of_tokens)) in.fail();
}

}  // namespace rota::lda
