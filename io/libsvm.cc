// io/libsvm.cc -- a fast path for usual lines, and a careful one for all others, which reports errors.
#include "rota/io/libsvm.h"

#include <algorithm>
#include <cstring>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

// The blanks that lines usually have between fields.
bool is_usual_blank(char c) {
  return c == ' ' || c == '\t';
}

std::uint64_t count_colons(const char* at, const char* end) {
  std::uint64_t count = 0;
  while (end - at >= 255 * 16) {
    std::uint8_t sums[16] = {};  // a vector of counts that cannot overflow
    for (int i = 0; i < 255; ++i, at += 16)
      for (int lane = 0; lane < 16; ++lane) sums[lane] = static_cast<std::uint8_t>(sums[lane] + (at[lane] == ':'));
    for (const std::uint8_t sum : sums) count += sum;
  }
  return count + static_cast<std::uint64_t>(std::count(at, end, ':'));
}

// The line without its end and its comment.
const char* end_of_fields(const char* begin, const char* end) {
  if (const void* comment = std::memchr(begin, '#', static_cast<std::size_t>(end - begin)))
    return static_cast<const char*>(comment);
  return end > begin && end[-1] == '\r' ? end - 1 : end;
}

// The first index:value in [begin, end) whose index is not below `index`, or `end`, if indices ascend; `begin` is just
// after a field.  Indices, here and below, are those of the text plus `shift`.  Null if a field on the way is invalid.
// The result depends on the text and on `index` alone, so that readers of neighbouring ranges meet at the same place
// even if indices do not ascend.
const char* find_index(const char* begin, const char* end, std::uint64_t index, std::uint64_t shift) {
  constexpr std::ptrdiff_t kFewFields = 64;  // bytes
  const char* low = begin;                   // fields that begin before it have smaller indices
  const char* high = end;                    // a field with another index, or the end
  const auto next_field_after = [&](const char* at) {
    while (at < high && !is_blank(*at)) ++at;
    return skip_blanks(at, high);
  };
  for (;;) {
    const bool few = high - low <= kFewFields;
    const char* at = next_field_after(few ? low : low + (high - low) / 2);
    if (at == high && !few) at = next_field_after(low);  // one long field, or many blanks
    if (at == high) return high;
    std::uint64_t found = 0;
    const char* const colon = scan_integer(at, found);
    if (colon == nullptr || *colon != ':') return nullptr;
    if (found + shift < index)
      low = colon;
    else if (few)
      return at;
    else
      high = at;
  }
}

// The index of the last field; 0 if there is none, or it has no index.
std::uint64_t last_index(const char* begin, const char* end, std::uint64_t shift) {
  while (end > begin && is_blank(end[-1])) --end;
  const char* at = end;
  while (at > begin && !is_blank(at[-1])) --at;
  std::uint64_t index = 0;
  const char* const colon = at < end ? scan_integer(at, index) : nullptr;
  return colon != nullptr && *colon == ':' ? index + shift : 0;
}

// A number that scan_decimal() leaves to parse_number(), up to a blank or `end`; the position after it, or null.
const char* scan_other(const char* at, const char* end, double& value) {
  const char* const begin = at;
  while (at != end && !is_blank(*at)) ++at;
  return parse_number({begin, static_cast<std::size_t>(at - begin)}, value) ? at : nullptr;
}

struct Entries {
  std::uint32_t* columns;
  double* values;
  std::size_t used;
};

// Reads the index:value fields of [at, end), which ends with the line or where another field begins.  False if they
// are not as expected.
[[gnu::always_inline]] inline bool scan_entries(const char* at, const char* end, std::uint64_t shift,
                                                std::uint64_t& last_index, std::uint64_t& fields, Entries& entries) {
  std::uint64_t last = last_index, count = 0;
  std::size_t used = entries.used;
  for (;;) {
    while (is_usual_blank(*at)) ++at;
    if (at == end) break;
    std::uint64_t index = 0;
    at = scan_integer(at, index);
    index += shift;
    if (at == nullptr || *at != ':' || index <= last) return false;
    double value = 0;
    const char* after = scan_decimal(at + 1, value);
    if (after == nullptr) after = scan_other(at + 1, end, value);
    if (after == nullptr) return false;
    at = after;
    last = index;
    entries.columns[used] = static_cast<std::uint32_t>(index - 1);
    entries.values[used] = value;
    used += value != 0;
    ++count;
  }
  last_index = last;
  fields += count;
  entries.used = used;
  return true;
}

// Reads index:value.  Returns the error, or "".
std::string parse_entry(std::string_view field, std::uint64_t shift, std::uint64_t last, std::uint64_t& index,
                        double& value) {
  const std::size_t colon = field.find(':');
  if (colon == field.npos) return "expected index:value, found " + quoted(field);
  const std::string_view digits = field.substr(0, colon);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    return "expected an index, found " + quoted(digits) + " in " + quoted(field);
  const char* const end = digits.data() + digits.size();
  if (scan_digits(digits.data(), end, index) == nullptr || (index += shift) > kMostColumns)
    return "index " + std::string(digits.substr(0, 40)) + " is beyond the most columns, " +
           std::to_string(kMostColumns);
  if (index == 0) return "indices count from 1, found " + quoted(field) + " (use --index_from=0 if they count from 0)";
  if (index == last) return "index " + std::to_string(index - shift) + " is given twice";
  if (index < last)
    return "indices must ascend, found " + std::to_string(index - shift) + " after " + std::to_string(last - shift);
  if (!parse_number(field.substr(colon + 1), value))
    return "expected a finite number, found " + quoted(field.substr(colon + 1)) + " in " + quoted(field);
  return {};
}

}  // namespace

void LibsvmRows::add_row(double label, std::size_t end, LibsvmSize& size) {
  labels_.push_back(label);
  ends_.push_back(end);
  size.labels.add(label);
}

bool LibsvmRows::parse_quickly(const char* begin, const char* end, const ColumnRange& keep, LibsvmSize& size) {
  double label = 0;
  const char* at = scan_decimal(begin, label);
  if (at == nullptr) at = scan_other(begin, end, label);
  if (at == nullptr || (at != end && !is_blank(*at))) return false;
  if (*skip_blanks(at, end) == 'q') return false;  // a qid, whose colon belongs to no entry
  Entries entries{columns_.get(), values_.get(), ends_.empty() ? 0 : ends_.back()};
  const bool from_start = keep.first == 0, to_end = keep.end == kMostColumns;
  const char* const first = from_start ? at : find_index(at, end, keep.first + 1, shift_);
  const char* const stop = to_end ? end : find_index(at, end, keep.end + 1, shift_);
  if (first == nullptr || stop == nullptr || first > stop) return false;
  std::uint64_t last = keep.first, fields = 0;
  if (!scan_entries(first, stop, shift_, last, fields, entries) || last > keep.end) return false;
  if (!from_start || !to_end) {
    fields = count_colons(at, end);
    last = last_index(at, end, shift_);
    if (last > kMostColumns) return false;
  }
  size.entries += fields;
  size.columns = std::max(size.columns, last);
  add_row(label, entries.used, size);
  return true;
}

// Returns the error, or "".
std::string LibsvmRows::parse_carefully(std::string_view line, const ColumnRange& keep, LibsvmSize& size) {
  double label = 0;
  std::string_view field = next_field(line);
  if (field.empty()) return {};
  if (!parse_number(field, label)) return "expected a label (a finite number), found " + quoted(field);
  field = next_field(line);
  if (field.starts_with("qid:")) field = next_field(line);
  std::size_t used = ends_.empty() ? 0 : ends_.back();
  std::uint64_t last = 0;
  for (; !field.empty(); field = next_field(line)) {
    std::uint64_t index = 0;
    double value = 0;
    if (std::string wrong = parse_entry(field, shift_, last, index, value); !wrong.empty()) return wrong;
    last = index;
    ++size.entries;
    if (value == 0 || index <= keep.first || index > keep.end) continue;
    columns_[used] = static_cast<std::uint32_t>(index - 1);
    values_[used++] = value;
  }
  size.columns = std::max(size.columns, last);
  add_row(label, used, size);
  return {};
}

std::optional<WrongLine> LibsvmRows::parse(std::string_view text, const ColumnRange& keep, LibsvmSize& size) {
  const std::size_t most_entries = text.size() / 4 + 1;  // " 1:1", and one that the reader is about to drop
  if (room_ < most_entries) {
    columns_ = std::make_unique_for_overwrite<std::uint32_t[]>(most_entries);
    values_ = std::make_unique_for_overwrite<double[]>(most_entries);
    room_ = most_entries;
  }
  labels_.clear();
  begins_.clear();
  ends_.clear();
  const bool comments = std::memchr(text.data(), '#', text.size()) != nullptr;
  const char* const text_end = text.data() + text.size();
  std::uint64_t lines = 0;
  for (const char* at = text.data(); at != text_end; ++lines) {
    const char* const line = at;
    at = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(text_end - line))) + 1;
    const char* end = at - 1;
    const std::uint64_t columns = size.columns;
    if (comments)
      end = end_of_fields(line, end);
    else if (end > line && end[-1] == '\r')
      --end;
    if (!parse_quickly(line, end, keep, size)) {
      std::string wrong = parse_carefully({line, static_cast<std::size_t>(end - line)}, keep, size);
      if (!wrong.empty()) return WrongLine{lines, std::move(wrong)};
    }
    if (size.columns > columns) size.widest = size.lines + lines + 1;
    if (begins_.size() < labels_.size()) begins_.push_back(static_cast<std::size_t>(line - text.data()));
  }
  size.lines += lines;
  size.rows += labels_.size();
  return std::nullopt;
}

std::optional<WrongLine> measure_libsvm(std::string_view text, LibsvmSize& size, std::uint64_t index_from) {
  const bool comments = std::memchr(text.data(), '#', text.size()) != nullptr;
  const char* const text_end = text.data() + text.size();
  std::uint64_t lines = 0;
  for (const char* at = text.data(); at != text_end; ++lines) {
    const char* const line = at;
    at = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(text_end - line))) + 1;
    const char* const end = comments ? end_of_fields(line, at - 1) : at - 1;
    std::string_view fields(line, static_cast<std::size_t>(end - line));
    const std::string_view label = next_field(fields);
    if (label.empty()) continue;
    ++size.rows;
    double value = 0;
    if (scan_decimal(label.data(), value) == label.data() + label.size() || parse_number(label, value))
      size.labels.add(value);
    std::string_view rest = fields;
    if (next_field(rest).starts_with("qid:")) fields = rest;
    size.entries += count_colons(fields.data(), fields.data() + fields.size());
    const std::uint64_t last = last_index(fields.data(), fields.data() + fields.size(), 1 - index_from);
    if (last > kMostColumns) {
      LibsvmSize ignored;
      auto wrong = LibsvmRows(index_from).parse({line, static_cast<std::size_t>(at - line)}, {}, ignored);
      return WrongLine{lines, std::move(wrong->what)};
    }
    if (last > size.columns) size.widest = size.lines + lines + 1;
    size.columns = std::max(size.columns, last);
  }
  size.lines += lines;
  return std::nullopt;
}

}  // namespace rota::io
