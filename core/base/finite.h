// core/base/finite.h -- whether all of many numbers are finite, without a branch for each.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rota/types.h"

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

// Whether shards may make such parts: as they begin, or finite.
inline bool are_parts(std::span<const double> numbers, Combine how) {
  if (how == Combine::sum) return all_finite(numbers);
  const double identity = identity_of(how);
  return std::all_of(numbers.begin(), numbers.end(), [&](double x) { return x == identity || all_finite({&x, 1}); });
}

}  // namespace rota
