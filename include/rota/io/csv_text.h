// rota/io/csv_text.h -- fields of CSV files, for writing (RFC 4180).
#pragma once
#include <string>
#include <string_view>

namespace rota::io {

// Quoted if it contains a quotation mark, a comma, or the end of a line.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace rota::io
