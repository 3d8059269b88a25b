#include "rota/io/json_text.h"

#include <cstdio>

#include "apps/io/utf8.h"

namespace rota::io {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const CodePoint next = next_code_point(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (!next.valid) {
      json += "\\ufffd";
    } else if (next.value == '"' || next.value == '\\') {
      json.append("\\").append(bytes);
    } else if (next.value < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(next.value));
      json += escape;
    } else {
      json += bytes;
    }
  }
  return json + "\"";
}

}  // namespace rota::io
