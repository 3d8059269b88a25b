// core/base/hash.h -- the one hash for content: XXH3, 64 and 128 bits.  Not against an adversary; against accidents.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rota {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  // Sum of both halves with carry lost: combines hashes of a set whose order does not count.
  Hash128& operator+=(const Hash128& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  std::string hex() const;  // 32 digits, high half first
  // Nothing if the text is not such a number.
  static std::optional<Hash128> from_hex(std::string_view text);
};

Hash128 hash128(std::span<const std::byte> bytes);
Hash128 hash128(const std::string& text);

// Hashes pieces as if they were one, without joining them.
class Hasher64 {
 public:
  Hasher64();
  ~Hasher64();
  Hasher64(const Hasher64&) = delete;
  Hasher64& operator=(const Hasher64&) = delete;

  void add(std::span<const std::byte> bytes);
  std::uint64_t digest() const;

 private:
  void* state_;
};

// A file by name, and its expected content: by that a damaged or old copy is detected.
struct HashedFile {
  std::string file;  // relative to a folder that both sides know: of checkpoints, the run's
  std::uint64_t bytes = 0;
  Hash128 hash;

  friend bool operator==(const HashedFile&, const HashedFile&) = default;
};

}  // namespace rota
