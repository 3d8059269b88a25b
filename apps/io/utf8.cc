#include "apps/io/utf8.h"

namespace rota::io {

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
