// rota/utf8.h -- text that may have bytes that are not UTF-8: users' data, file names, texts of plugins.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rota {

struct CodePoint {
  char32_t value;
  std::size_t bytes;  // at least 1
  bool valid;         // false: the byte is not part of UTF-8, and `value` is that byte
};

// The first code point.  REQUIRES: text is not empty.
inline CodePoint next_code_point(std::string_view text) {
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
  // Longer than necessary, half of a surrogate pair, or beyond Unicode.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[bytes] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return invalid;
  return {value, bytes, true};
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint next = next_code_point(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

// The byte as \xNN.
inline void append_hex(char byte, std::string& to) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto number = static_cast<unsigned char>(byte);
  to += "\\x";
  to += kHex[number >> 4];
  to += kHex[number & 15];
}

// What a terminal could interpret as a command: control characters except tabs and line breaks, those of Latin-1 (0x80
// to 0x9f) too.
inline bool is_control(const CodePoint& code_point) {
  const char32_t value = code_point.value;
  return value < 0x20 ? value != '\t' && value != '\n' : value >= 0x7f && value < 0xa0;
}

// The text with control characters as \xNN, and all other bytes as they are.
inline std::string without_controls(std::string_view text, bool valid_alone = false) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = next_code_point(text);
    if (is_control(next) || (valid_alone && !next.valid))
      for (const char byte : text.substr(0, next.bytes)) append_hex(byte, shown);
    else
      shown += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return shown;
}

// Text for users, which is UTF-8 and cannot control a terminal: control characters and bytes that are not part of UTF-8
// as \xNN.  Text that had \xNN in it looks the same.
inline std::string visible_text(std::string_view text) {
  return without_controls(text, true);
}

}  // namespace rota
