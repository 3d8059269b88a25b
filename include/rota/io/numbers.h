// rota/io/numbers.h -- scanning text for numbers and words, and quoting what was found instead.
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

// Whether the line has nothing else.
inline bool is_blank(std::string_view line) {
  return skip_blanks(line.data(), line.data() + line.size()) == line.data() + line.size();
}

// Without the blanks at both ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Reads decimal digits at `at` and returns the position after them; null if there is no digit, or more than 18 of them,
// so that the value cannot overflow.
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

// The next run of characters that are not blank; `line` becomes the rest.  Empty at the line's end.
std::string_view next_field(std::string_view& line);

// The text in quotes for a message: shortened, but not inside a character, and with every byte that is not printable or
// not UTF-8 written as \xNN.
std::string quoted(std::string_view text);

// A few bytes of text can declare any number of rows, columns, documents or words, which then take memory.  Returns the
// error if `count` things are out of proportion to their number of entries; else "".
std::string out_of_proportion(std::uint64_t count, const std::string& things, std::uint64_t entries);

}  // namespace rota::io
