// rota/io/decimal.h -- decimal numbers in text, read fast, and exactly: the nearest double, ties to even.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rota::io {

// Reads the whole of `token`: an optional sign, digits with or without a point, and an optional exponent.  Numbers too
// small for a double become 0, as with strtod.  False, with `value` unchanged, if it is anything else ("nan", "inf") or
// too large for a double.
bool parse_number(std::string_view token, double& value);

// What follows is for readers of long texts.  Bytes that must be readable after their text; the first of these is not a
// digit.
inline constexpr std::size_t kReadable = 32;

namespace decimal {

static_assert(std::endian::native == std::endian::little, "eight digits are loaded in this byte order");

inline constexpr unsigned kMostDigits = 19;  // fit into 64 bits
inline constexpr std::uint64_t kPowers[kMostDigits + 1] = {1U,
                                                           10U,
                                                           100U,
                                                           1'000U,
                                                           10'000U,
                                                           100'000U,
                                                           1'000'000U,
                                                           10'000'000U,
                                                           100'000'000U,
                                                           1'000'000'000U,
                                                           10'000'000'000U,
                                                           100'000'000'000U,
                                                           1'000'000'000'000U,
                                                           10'000'000'000'000U,
                                                           100'000'000'000'000U,
                                                           1'000'000'000'000'000U,
                                                           10'000'000'000'000'000U,
                                                           100'000'000'000'000'000U,
                                                           1'000'000'000'000'000'000U,
                                                           10'000'000'000'000'000'000U};

struct Digits {
  std::uint64_t value;
  unsigned count;  // 0 .. 8
};
// The run of digits at `at`, or its first eight, all at once.
[[gnu::always_inline]] inline Digits eight_digits(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  bytes ^= 0x3030303030303030;  // a digit becomes its value
  // Sets the highest bit of each byte above 9.  Only such a byte causes a carry, so the first one is found correctly.
  const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
  const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  // Leading zeros for the missing digits; in two steps, because a shift by 64 bits is not defined.
  bytes = bytes << 4 * (8 - count) << 4 * (8 - count);
  // Pairs, then both halves: digits 0 .. 3 of the pairs' places weigh 10^6, 10^4, 10^2 and 1.
  bytes = bytes * 10 + (bytes >> 8);
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  const std::uint64_t value = ((bytes & kPairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
                               ((bytes >> 16) & kPairs) * (1 + (std::uint64_t{10'000} << 32))) >>
                              32;
  return {value, count};
}

// mantissa / 10^places, rounded once.  REQUIRES: mantissa > 0, places <= kMostDigits.
double divided(std::uint64_t mantissa, unsigned places);

}  // namespace decimal

// Reads an integer of at most 15 digits and returns the position after it; null if there is no digit or there are more.
[[gnu::always_inline]] inline const char* scan_integer(const char* at, std::uint64_t& value) {
  const decimal::Digits first = decimal::eight_digits(at);
  value = first.value;
  if (first.count == 0) [[unlikely]]
    return nullptr;
  if (first.count < 8) [[likely]]
    return at + first.count;
  const decimal::Digits second = decimal::eight_digits(at + 8);
  value = value * decimal::kPowers[second.count] + second.value;
  return second.count < 8 ? at + 8 + second.count : nullptr;
}

// Reads a number with at most 7 digits before its point, at most 19 in all, and no exponent, and returns the position
// after it.  Null for any other, which may still be valid: parse_number() decides.
[[gnu::always_inline]] inline const char* scan_decimal(const char* at, double& value) {
  const bool negative = *at == '-';
  at += negative || *at == '+';
  // If numbers begin with "0.", the second byte decides before the first is decoded: a branch that the processor
  // predicts, instead of a chain of dependent operations.
  const unsigned leading = static_cast<unsigned char>(*at - '0');
  const decimal::Digits whole = at[1] == '.' && leading <= 9 ? decimal::Digits{leading, 1} : decimal::eight_digits(at);
  at += whole.count;
  std::uint64_t mantissa = whole.value;
  unsigned places = 0;
  if (*at == '.') {
    const decimal::Digits first = decimal::eight_digits(at + 1);
    mantissa = mantissa * decimal::kPowers[first.count] + first.value;
    places = first.count;
    if (places == 8) {
      const decimal::Digits second = decimal::eight_digits(at + 9);
      mantissa = mantissa * decimal::kPowers[second.count] + second.value;
      places += second.count;
      if (second.count == 8) [[unlikely]] {
        const decimal::Digits third = decimal::eight_digits(at + 17);
        mantissa = mantissa * decimal::kPowers[third.count] + third.value;
        places += third.count;
      }
      if (whole.count + places > decimal::kMostDigits) [[unlikely]]
        return nullptr;
    }
    at += 1 + places;
  }
  if (whole.count == 8 || whole.count + places == 0 || (*at | 0x20) == 'e') [[unlikely]]
    return nullptr;
  // Both operands exact: the division rounds once (Clinger, "How to read floating point numbers accurately", PLDI
  // 1990).
  double magnitude = 0;
  if (mantissa <= std::uint64_t{1} << 53) [[likely]]
    magnitude = static_cast<double>(mantissa) / static_cast<double>(decimal::kPowers[places]);
  else
    magnitude = decimal::divided(mantissa, places);
  value = negative ? -magnitude : magnitude;
  return at;
}

}  // namespace rota::io
