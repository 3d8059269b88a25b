#include "core/base/hash.h"

#include <xxhash.h>

#include <charconv>
#include <new>
#include <system_error>

namespace rota {

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[(half >> shift) & 15]);
  return text;
}

std::optional<Hash128> Hash128::from_hex(std::string_view text) {
  Hash128 hash;
  const auto half = [&](std::size_t at, std::uint64_t& to) {
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 16, to, 16);
    return error == std::errc{} && end == begin + 16;
  };
  if (text.size() != 32 || !half(0, hash.high) || !half(16, hash.low)) return std::nullopt;
  return hash;
}

Hash128 hash128(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Hash128 hash128(const std::string& text) {
  return hash128(std::as_bytes(std::span(text.data(), text.size())));
}

Hasher64::Hasher64() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
}

Hasher64::~Hasher64() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}

void Hasher64::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

std::uint64_t Hasher64::digest() const {
  return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_));
}

}  // namespace rota
