#include "apps/io/utf8.h"

namespace rota::io {

CodePoint next_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const CodePoint invalid{first, 1, false};
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes > text.size()) return invalid;
  char32_t value = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    value = value << 6 | (byte(i) & 0x3fU);
  }
  // Longer than need be, a half of a surrogate pair, or beyond Unicode.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[bytes] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return invalid;
  return {value, bytes, true};
}

void append_code_point(char32_t value, std::string& to) {
  const auto tail = [&](unsigned shift) { to += static_cast<char>(0x80 | (value >> shift & 0x3f)); };
  if (value < 0x80) {
    to += static_cast<char>(value);
  } else if (value < 0x800) {
    to += static_cast<char>(0xc0 | value >> 6);
    tail(0);
  } else if (value < 0x10000) {
    to += static_cast<char>(0xe0 | value >> 12);
    tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0 | value >> 18);
    tail(12), tail(6), tail(0);
  }
}

}  // namespace rota::io
