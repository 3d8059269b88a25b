// rota/io/numbers.h -- scanning text for numbers and words, and showing what was found instead.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace rota::io {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

// Reads decimal digits at `at` and returns the place behind them; null if there is no digit, or more than 18 of
// them, so that the value cannot overflow.
inline const char* scan_digits(const char* at, const char* end, std::uint64_t& value) {
  const char* const begin = at;
  std::uint64_t sum = 0;
  while (at != end) {
    const auto digit = static_cast<unsigned>(static_cast<unsigned char>(*at)) - '0';
    if (digit > 9) break;
    sum = sum * 10 + digit;
    ++at;
  }
  value = sum;
  return at == begin || at - begin > 18 ? nullptr : at;
}

// The next run of characters that are not blank, and `line` behind it; empty at the line's end.
std::string_view next_field(std::string_view& line);

// The text in quotes for a message: cut short, but not inside a character, and with every byte that is not printable or
// no UTF-8 written as \xNN.
std::string quoted(std::string_view text);

// Memory is taken for every row, column, document or word that a few bytes of text speak of.  Says what is wrong if
// `count` things are out of proportion to the entries that there are of them; else "".
std::string out_of_proportion(std::uint64_t count, const std::string& things, std::uint64_t entries);

}  // namespace rota::io
