// io/matrix_market.cc
#include "rota/io/matrix_market.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/libsvm.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

constexpr std::size_t kBatch = 4096;

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

void read_banner(Lines& lines, MatrixMarketSize& size) {
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
  size.array = format == "array";
  if (field == "integer")
    size.field = MatrixField::integer;
  else if (field == "pattern" && !size.array)
    size.field = MatrixField::pattern;
  else if (field != "real" && field != "double")
    refuse(size.array ? "'real' or 'integer' numbers" : "'real', 'integer' or 'pattern' entries", field);
  size.symmetric = symmetry == "symmetric" && !size.array;
  if (symmetry != "general" && !size.symmetric)
    refuse(size.array ? "a 'general' array, with all its entries" : "a 'general' or 'symmetric' matrix", symmetry);
  lines.expect_end(rest, "'" + symmetry + "' last");
}

void read_size(Lines& lines, MatrixMarketSize& size) {
  std::string_view line;
  do {
    if (!lines.next(line))
      throw DataError(lines.file(), lines.number() + 1, "expected the size of the matrix, found the end of the file");
  } while (line.starts_with('%') || is_blank(line));
  size.rows = lines.whole_number(next_field(line), "the number of rows", 1, kMostRows);
  size.columns = lines.whole_number(next_field(line), "the number of columns", 1, kMostColumns);
  size.entries = size.rows * size.columns;
  if (!size.array) size.entries = lines.whole_number(next_field(line), "the number of entries", 0, size.entries);
  lines.expect_end(line, "the size of the matrix alone");
  if (size.symmetric && size.rows != size.columns) lines.fail("a symmetric matrix has as many rows as columns");
  if (const std::string wrong = out_of_proportion(size.rows, "rows", size.entries); !wrong.empty()) lines.fail(wrong);
  size.line = lines.number();
}

MatrixEntry read_entry(const Lines& lines, std::string_view line, const MatrixMarketSize& size,
                       std::uint64_t position) {
  MatrixEntry entry{0, 0, 1};
  if (size.array) {
    entry.row = static_cast<std::uint32_t>(position % size.rows);
    entry.column = static_cast<std::uint32_t>(position / size.rows);
  } else {
    entry.row = static_cast<std::uint32_t>(lines.whole_number(next_field(line), "a row", 1, size.rows) - 1);
    entry.column = static_cast<std::uint32_t>(lines.whole_number(next_field(line), "a column", 1, size.columns) - 1);
    if (size.symmetric && entry.column > entry.row) lines.fail("an entry above the diagonal of a symmetric matrix");
  }
  if (size.field != MatrixField::pattern) {
    const std::string_view field = next_field(line);
    if (!parse_number(field, entry.value)) lines.fail("expected a finite number, found " + quoted(field));
    if (size.field == MatrixField::integer && std::trunc(entry.value) != entry.value)
      lines.fail("expected an integer, found " + quoted(field));
  }
  lines.expect_end(line, "one entry a line");
  return entry;
}

}  // namespace

MatrixMarketReader::MatrixMarketReader(Lines& lines) : lines_(lines) {
  read_banner(lines, size_);
  read_size(lines, size_);
}

bool MatrixMarketReader::next(MatrixEntry& entry) {
  if (other_side_) {
    entry = *std::exchange(other_side_, std::nullopt);
    return true;
  }
  for (std::string_view line; lines_.next(line);) {
    if (is_blank(line)) continue;
    if (seen_ == size_.entries)
      lines_.fail("expected the end of the file after " + std::to_string(seen_) + " entries, found " + quoted(line));
    entry = read_entry(lines_, line, size_, seen_++);
    if (size_.symmetric && entry.row != entry.column) other_side_ = {entry.column, entry.row, entry.value};
    return true;
  }
  if (seen_ < size_.entries)
    throw DataError(lines_.file(), lines_.number() + 1,
                    "expected " + std::to_string(size_.entries) + " entries, found " + std::to_string(seen_) +
                        " before the end of the file");
  return false;
}

MatrixMarketSize read_matrix_market(Lines& lines, const TakeEntries& take) {
  MatrixMarketReader reader(lines);
  MatrixMarketSize size = reader.size();
  size.entries = 0;
  std::vector<MatrixEntry> batch;
  batch.reserve(kBatch);
  for (MatrixEntry entry{}; reader.next(entry);) {
    batch.push_back(entry);
    ++size.entries;
    if (batch.size() < kBatch) continue;
    take(batch);
    batch.clear();
  }
  take(batch);
  return size;
}

std::uint64_t line_of_repeated(const std::string& path, std::uint32_t row, std::uint32_t column) {
  Lines lines(path);
  MatrixMarketReader reader(lines);
  std::uint64_t found = 0;
  for (MatrixEntry entry{}; reader.next(entry);)
    if (entry.row == row && entry.column == column && ++found == 2) return lines.number();
  return 0;
}

}  // namespace rota::io
