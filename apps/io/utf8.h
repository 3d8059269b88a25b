// apps/io/utf8.h -- the code points of text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rota::io {

struct CodePoint {
  char32_t value;
  std::size_t bytes;  // at least 1
  bool valid;         // false: the byte is no part of UTF-8, and `value` is that byte
};

// The first code point.  REQUIRES: text is not empty.
CodePoint next_code_point(std::string_view text);
// REQUIRES: value was valid.
void append_code_point(char32_t value, std::string& to);

}  // namespace rota::io
