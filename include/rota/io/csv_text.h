// rota/io/csv_text.h -- CSV files, for writing (RFC 4180).
#pragma once
#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

#include "rota/io/text_writer.h"

namespace rota::io {

// Quoted if it contains a quotation mark, a comma, or the end of a line.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

// Writes a table: calls rows(row), which calls row(cell, ...) for each row, with numbers and texts.  Throws as
// TextWriter does.
//
//   io::write_csv(folder / "clusters.csv", "cluster,rows", [&](auto row) {
//     for (std::uint32_t k = 0; k < clusters; ++k) row(k, count(k));
//   });
template <typename Rows>
void write_csv(const std::filesystem::path& path, std::string_view header, Rows rows) {
  TextWriter out(path);
  out << header << "\n";
  const auto put = [&out](const auto& cell) {
    using Cell = std::decay_t<decltype(cell)>;
    if constexpr (std::floating_point<Cell>)
      out << cell;
    else if constexpr (std::integral<Cell>)
      out << static_cast<std::uint64_t>(cell);
    else
      out << csv_field(cell);
  };
  rows([&](const auto& first, const auto&... others) {
    put(first);
    ((out << ",", put(others)), ...);
    out << "\n";
  });
  out.close();
}

// A whole file of text: the README.txt of an export.
inline void write_text(const std::filesystem::path& path, std::string_view text) {
  TextWriter out(path);
  out << text;
  out.close();
}

}  // namespace rota::io
