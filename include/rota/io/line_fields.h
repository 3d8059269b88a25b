// rota/io/line_fields.h -- a line of fields between blanks: a fixed list of numbers and words.
//
//   io::Lines lines(file);
//   std::uint64_t user = 0;
//   double rating = 0;
//   for (std::string_view line; lines.next(line);)
//     if (!io::read_line(line, user, rating)) lines.fail("expected USER RATING, found " + io::quoted(line));
#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"

namespace rota::io {

// One field as the wanted type; false if it is not one.  A number is as parse_number() reads it (decimal.h), a whole
// number has at most 18 digits, a word is anything; it refers to the line.
inline bool read_field(std::string_view field, double& value) {
  return parse_number(field, value);
}
inline bool read_field(std::string_view field, std::uint64_t& value) {
  const char* const end = field.data() + field.size();
  return scan_digits(field.data(), end, value) == end && !field.empty();
}
inline bool read_field(std::string_view field, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!read_field(field, wide) || wide > std::numeric_limits<std::uint32_t>::max()) return false;
  value = static_cast<std::uint32_t>(wide);
  return true;
}
inline bool read_field(std::string_view field, std::string_view& value) {
  value = field;
  return !field.empty();
}

// Whether the line has these fields and no others.  If not, some of the values may be written.
template <typename... T>
bool read_line(std::string_view line, T&... values) {
  return (read_field(next_field(line), values) && ...) && next_field(line).empty();
}

}  // namespace rota::io
