// core/base/finite.h -- whether all of many numbers are finite, without a branch for each.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rota {

inline bool all_finite(std::span<const double> numbers) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;  // all ones: an infinity, or no number
  constexpr std::size_t kBlock = 512;
  for (std::size_t at = 0; at < numbers.size(); at += kBlock) {
    const std::size_t end = std::min(numbers.size(), at + kBlock);
    // The carry out of the exponent, if that is all ones.
    std::uint64_t carry = 0;
    for (std::size_t i = at; i < end; ++i)
      carry |= (std::bit_cast<std::uint64_t>(numbers[i]) & kExponent) + (std::uint64_t{1} << 52);
    if ((carry >> 63) != 0) return false;
  }
  return true;
}

}  // namespace rota
