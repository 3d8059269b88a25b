// tests/unit/core/wire/frames_of.h -- frames as tests handle them: changed, cut, sealed again, and as hexadecimal
// digits.
#pragma once
#include <string>

#include "core/base/hash.h"
#include "core/wire/codec.h"

namespace rota::tests {

inline std::vector<std::byte> copy_of(const Bytes& bytes) {
  return {bytes.view().begin(), bytes.view().end()};
}

inline Bytes changed(const Bytes& bytes, std::size_t at, unsigned change) {
  std::vector<std::byte> copy = copy_of(bytes);
  copy.at(at) ^= static_cast<std::byte>(change);
  return Bytes::from(std::move(copy));
}

inline Bytes cut_to(const Bytes& bytes, std::size_t size) {
  std::vector<std::byte> copy = copy_of(bytes);
  copy.resize(size);
  return Bytes::from(std::move(copy));
}

// Sets the checksum of the frames, computed by PROTOCOL.md and not by codec.cc.
inline void seal(Frames& frames) {
  std::vector<std::byte> header = copy_of(frames.at(0));
  Hasher64 hasher;
  hasher.add(std::span(header).first(kHeaderSize - 8));
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::uint64_t size = frames[i].size();
    hasher.add(std::as_bytes(std::span(&size, 1)));
    hasher.add(frames[i].view());
  }
  const std::uint64_t sum = hasher.digest();
  std::memcpy(header.data() + kHeaderSize - 8, &sum, sizeof sum);
  frames[0] = Bytes::from(std::move(header));
}

inline std::string hex(const Bytes& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes.view()) {
    text.push_back(kDigits[std::to_integer<unsigned>(byte) >> 4]);
    text.push_back(kDigits[std::to_integer<unsigned>(byte) & 15]);
  }
  return text.empty() ? "-" : text;
}

inline std::string hex(const Frames& frames) {
  std::string text;
  for (const Bytes& frame : frames) text += (text.empty() ? "" : " ") + hex(frame);
  return text;
}

}  // namespace rota::tests
