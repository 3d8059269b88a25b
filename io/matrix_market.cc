// io/matrix_market.cc
#include "rota/io/matrix_market.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/libsvm.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

constexpr std::size_t kBatch = 4096;

enum class Field { real, integer, pattern };

struct Header {
  Field field = Field::real;
  MatrixMarketSize size;
};

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

void read_banner(Lines& lines, Header& header) {
  std::string_view line;
  if (!lines.next(line)) throw DataError(lines.file(), 1, "expected '%%MatrixMarket', found the end of the file");
  std::string_view rest = line;
  const std::string_view banner = next_field(rest);
  if (banner != "%%MatrixMarket") lines.fail("expected '%%MatrixMarket', found " + quoted(banner));
  const auto refuse = [&](const std::string& expected, std::string_view found) {
    lines.fail("expected " + expected + ", found " + quoted(found));
  };
  const std::string object = lower(next_field(rest)), format = lower(next_field(rest));
  const std::string field = lower(next_field(rest)), symmetry = lower(next_field(rest));
  if (object != "matrix") refuse("'matrix'", object);
  if (format != "coordinate" && format != "array") refuse("'coordinate' or 'array'", format);
  header.size.array = format == "array";
  if (field == "integer")
    header.field = Field::integer;
  else if (field == "pattern" && !header.size.array)
    header.field = Field::pattern;
  else if (field != "real" && field != "double")
    refuse(header.size.array ? "'real' or 'integer' numbers" : "'real', 'integer' or 'pattern' entries", field);
  if (symmetry != "general") refuse("a 'general' matrix, with all its entries", symmetry);
  lines.expect_end(rest, "'general' last");
}

void read_size(Lines& lines, Header& header) {
  std::string_view line;
  do {
    if (!lines.next(line))
      throw DataError(lines.file(), lines.number() + 1, "expected the size of the matrix, found the end of the file");
  } while (line.starts_with('%') || is_blank(line));
  MatrixMarketSize& size = header.size;
  size.rows = lines.whole_number(next_field(line), "the number of rows", 1, kMostRows);
  size.columns = lines.whole_number(next_field(line), "the number of columns", 1, kMostColumns);
  size.entries = size.rows * size.columns;
  if (!size.array) size.entries = lines.whole_number(next_field(line), "the number of entries", 0, size.entries);
  lines.expect_end(line, "the size of the matrix alone");
  if (const std::string wrong = out_of_proportion(size.rows, "rows", size.entries); !wrong.empty()) lines.fail(wrong);
  size.line = lines.number();
}

MatrixEntry read_entry(const Lines& lines, std::string_view line, const Header& header, std::uint64_t position) {
  MatrixEntry entry{0, 0, 1};
  if (header.size.array) {
    entry.row = static_cast<std::uint32_t>(position % header.size.rows);
    entry.column = static_cast<std::uint32_t>(position / header.size.rows);
  } else {
    entry.row = static_cast<std::uint32_t>(lines.whole_number(next_field(line), "a row", 1, header.size.rows) - 1);
    entry.column =
        static_cast<std::uint32_t>(lines.whole_number(next_field(line), "a column", 1, header.size.columns) - 1);
  }
  if (header.field != Field::pattern) {
    const std::string_view field = next_field(line);
    if (!parse_number(field, entry.value)) lines.fail("expected a finite number, found " + quoted(field));
    if (header.field == Field::integer && std::trunc(entry.value) != entry.value)
      lines.fail("expected an integer, found " + quoted(field));
  }
  lines.expect_end(line, "one entry a line");
  return entry;
}

}  // namespace

MatrixMarketSize read_matrix_market(Lines& lines, const TakeEntries& take) {
  Header header;
  read_banner(lines, header);
  read_size(lines, header);
  std::vector<MatrixEntry> batch;
  batch.reserve(kBatch);
  std::uint64_t seen = 0;
  std::string_view line;
  while (lines.next(line)) {
    if (is_blank(line)) continue;
    if (seen == header.size.entries)
      lines.fail("expected the end of the file after " + std::to_string(seen) + " entries, found " + quoted(line));
    batch.push_back(read_entry(lines, line, header, seen++));
    if (batch.size() == kBatch) {
      take(batch);
      batch.clear();
    }
  }
  if (seen < header.size.entries)
    throw DataError(lines.file(), lines.number() + 1,
                    "expected " + std::to_string(header.size.entries) + " entries, found " + std::to_string(seen) +
                        " before the end of the file");
  take(batch);
  return header.size;
}

std::uint64_t line_of_repeated(const std::string& path, std::uint32_t row, std::uint32_t column) {
  Lines lines(path);
  Header header;
  read_banner(lines, header);
  read_size(lines, header);
  std::string_view line;
  std::uint64_t found = 0, seen = 0;
  while (lines.next(line)) {
    if (is_blank(line)) continue;
    const MatrixEntry entry = read_entry(lines, line, header, seen++);
    if (entry.row == row && entry.column == column && ++found == 2) return lines.number();
  }
  return 0;
}

}  // namespace rota::io
