// rota/io/number_text.h -- numbers as text that does not depend on the locale.
#pragma once
#include <charconv>
#include <string>

namespace rota::io {

// With six significant digits.
inline std::string six_digits(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, 6).ptr};
}

// The shortest text that reads as this number.
template <typename T>
std::string exact_text(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace rota::io
