#include "apps/mf/ratings/rating_reader.h"

#include <charconv>
#include <cmath>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"

namespace rota::mf {
namespace {

// Factors and stored ratings are floats, which values derived from larger or smaller ratings might exceed.
constexpr double kLargest = 1e15, kSmallest = 1e-30;

struct Mark {
  Separator separator;
  std::string_view text;  // "": a run of blanks
};
// In the order in which the first line is searched for them.
constexpr Mark kMarks[] = {{Separator::colons, "::"},
                           {Separator::tab, "\t"},
                           {Separator::comma, ","},
                           {Separator::semicolon, ";"},
                           {Separator::blanks, ""}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && io::is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && io::is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Also true for nan and inf, which are not names of columns.
bool is_like_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return end == field.data() + field.size() || field.find_first_of("0123456789") != field.npos;
}

}  // namespace

RatingReader::RatingReader(const std::string& path, LineFormat format, Kind kind)
    : lines_(path), format_(format), kind_(kind) {}

// A field that begins with a quotation mark was cut after the one that ends it.
std::string_view RatingReader::unquoted(std::string_view field, std::size_t place) {
  std::string& text = unquoted_[place];
  text.clear();
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;  // a doubled mark
  }
  return text;
}

// Puts the first fields of the line into fields_, and returns how many those are.
std::size_t RatingReader::split(std::string_view line, Separator separator) {
  std::string_view mark;
  for (const Mark& each : kMarks)
    if (each.separator == separator) mark = each.text;
  const bool quotes = separator == Separator::comma || separator == Separator::semicolon;
  fields_.fill({});
  std::size_t count = 0;
  while (count < kFields) {
    if (mark.empty()) {
      const std::string_view field = io::next_field(line);
      if (field.empty()) return count;
      fields_[count++] = field;
      continue;
    }
    std::size_t from = 0;
    const std::size_t first = line.find_first_not_of(' ');
    if (quotes && first != line.npos && line[first] == '"') {
      from = first + 1;
      while (from < line.size() && (line[from] != '"' || (from + 1 < line.size() && line[from + 1] == '"')))
        from += line[from] == '"' ? 2 : 1;
      if (from >= line.size()) return 0;  // the field is not closed
    }
    const std::size_t end = line.find(mark, from);
    const std::string_view field = trimmed(line.substr(0, end));
    const bool quoted = from > 0 && field.size() >= 2 && field.back() == '"';
    fields_[count] = quoted ? unquoted(field, count) : field;
    ++count;
    if (end == line.npos) return count;
    line.remove_prefix(end + mark.size());
  }
  return count;
}

// Detects the format of the lines from the first one.
void RatingReader::begin(std::string_view line) {
  const std::size_t wanted = fewest();
  for (const Mark& mark : kMarks) {
    if (format_.separator != Separator::unknown) break;
    if (split(line, mark.separator) >= wanted) format_.separator = mark.separator;
  }
  if (format_.separator == Separator::unknown)
    lines_.fail(std::string("expected a user, an item") + (wanted == 3 ? " and a rating" : "") + ", found " +
                io::quoted(line));
  begun_ = true;
  if (format_.header == Header::unknown) {
    const bool names = split(line, format_.separator) >= 3 && !fields_[2].empty() && !is_like_number(fields_[2]);
    format_.header = names ? Header::yes : Header::no;
  }
  if (format_.header == Header::yes) header_ = line;
}

double RatingReader::rating(std::string_view field) const {
  double value = 0;
  if (!io::parse_number(field, value) || !(std::abs(value) <= kLargest) || (value != 0 && std::abs(value) < kSmallest))
    fail("expected a rating, 0 or a number from 1e-30 to 1e15 in size, found " + io::quoted(field));
  if (kind_ == Kind::counts && value < 0) fail("an implicit rating must not be negative: " + io::quoted(field));
  if (kind_ != Kind::labels) return value;
  if (value != 1 && value != 0 && value != -1) fail("expected a label, 1 and 0 or -1, found " + io::quoted(field));
  return value > 0 ? 1 : 0;
}

bool RatingReader::next(RatingLine& out) {
  for (std::string_view line; lines_.next(line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    if (!begun_) {
      begin(line);
      if (!header_.empty()) continue;
    }
    const std::size_t count = split(line, format_.separator);
    if (count < fewest() || fields_[0].empty() || fields_[1].empty())
      fail(std::string("expected a user, an item") + (fewest() == 3 ? " and a rating" : "") + ", found " +
           io::quoted(line));
    const bool missing = kind_ == Kind::counts && (count < 3 || fields_[2].empty());
    out = {fields_[0], fields_[1], missing ? 1.0 : 0.0, fields_[3], line};
    if (kind_ != Kind::pairs && !missing) out.value = rating(fields_[2]);
    if (kind_ == Kind::counts && out.value == 0) continue;
    return true;
  }
  return false;
}

}  // namespace rota::mf
