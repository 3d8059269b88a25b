// io/number_list.cc
#include "rota/io/number_list.h"

#include <cmath>
#include <string_view>

#include "io/memory_rows.h"
#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/lines.h"
#include "rota/io/matrix_format.h"
#include "rota/io/matrix_market.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

std::string expected(const std::string& what, double least) {
  if (!std::isfinite(least)) return "expected " + what + " (a finite number)";
  return "expected " + what + " (a finite number of at least " + exact_text(least) + ")";
}

}  // namespace

std::vector<double> read_numbers(const std::string& path, const std::string& what, double least) {
  std::vector<double> numbers;
  if (is_memory_name(path)) {
    numbers = memory_numbers(path);
    for (const double number : numbers)
      if (!std::isfinite(number) || number < least)
        throw DataError(path, 0, expected(what, least) + ", found " + exact_text(number));
    return numbers;
  }
  Lines lines(path);
  if (matrix_format_of(path) == MatrixFormat::matrix_market) {
    const auto take = [&](std::span<const MatrixEntry> entries) {
      for (const MatrixEntry& entry : entries) {
        if (entry.value < least) throw DataError(path, 0, expected(what, least) + ", found " + exact_text(entry.value));
        numbers.push_back(entry.value);
      }
    };
    const MatrixMarketSize size = read_matrix_market(lines, take);
    if (!size.array || size.columns != 1) throw DataError(path, 0, "expected an array of one column");
    return numbers;
  }
  std::string_view line;
  while (lines.next(line)) {
    std::string_view rest = line;
    const std::string_view field = next_field(rest);
    double number = 0;
    if (!parse_number(field, number) || number < least) lines.fail(expected(what, least) + ", found " + quoted(field));
    lines.expect_end(rest, "one number a line");
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace rota::io
