// apps/lasso/commands/number_text.h -- numbers as text.
#pragma once
#include <charconv>
#include <string>

namespace rota::lasso {

// The shortest text that reads back as the same number.
inline std::string number_text(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace rota::lasso
