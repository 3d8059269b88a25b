#include "rota/io/csv_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"
#include "rota/utf8.h"

namespace rota::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

std::size_t find_column(std::string_view name_or_number, std::span<const std::string> names, std::size_t columns,
                        const std::string& file, std::uint64_t line) {
  const auto found = std::ranges::find(names, name_or_number);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), name_or_number) != names.end())
      throw DataError(file, line, "several columns are called " + quoted(name_or_number));
    return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t number = 0;
  const char* const end = name_or_number.data() + name_or_number.size();
  const auto [stop, error] = std::from_chars(name_or_number.data(), end, number);
  if (error == std::errc{} && stop == end && number >= 1 && number <= columns) return number - 1;
  std::string known;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20); ++i) known += (i == 0 ? " " : ", ") + names[i];
  throw DataError(file, line,
                  "there is no column " + quoted(name_or_number) + "; there are " + std::to_string(columns) +
                      (known.empty() ? ", without names" : ":" + known + (names.size() > 20 ? ", ..." : "")));
}

CsvFile::CsvFile(std::string path, CsvForm form) : file_(std::move(path)), buffer_(kBlock), separator_(form.separator) {
  try {
    source_ = open_bytes(file_);
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, 0, broken.what());
  }
  if (source_->is_table()) {
    separator_ = ',';
    form.header = CsvForm::Header::yes;
  }
  fill();
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  if (separator_ == '\0') choose_separator();
  if (!read_record()) throw DataError(file_, 0, "the file is empty");
  columns_ = ends_.size();
  std::vector<std::string_view> first;
  repeat_ = true;
  next(first);
  double number = 0;
  const bool all_numbers =
      std::ranges::all_of(first, [&](std::string_view field) { return field.empty() || parse_number(field, number); });
  if (form.header == CsvForm::Header::yes || (form.header == CsvForm::Header::find && !all_numbers))
    names_.assign(first.begin(), first.end());
  else
    repeat_ = true;
}

bool CsvFile::next(std::vector<std::string_view>& fields) {
  if (!std::exchange(repeat_, false)) {
    if (!read_record()) return false;
    if (ends_.size() != columns_)
      fail("expected " + std::to_string(columns_) + " fields, found " + std::to_string(ends_.size()));
  }
  fields.clear();
  for (std::size_t begin = 0; const std::size_t end : ends_) {
    fields.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end;
  }
  return true;
}

// Of the first line: what is in quotes is none.
void CsvFile::choose_separator() {
  constexpr std::string_view kKnown = "\t;,|";
  std::size_t best = 2;  // a comma, if the line has none of them
  bool found = false, quoted = false;
  for (std::size_t i = at_; i < end_; ++i) {
    const char c = buffer_[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const std::size_t known = kKnown.find(c); known != kKnown.npos && (!found || known < best)) {
      best = known;
      found = true;
    }
  }
  separator_ = kKnown[best];
}

void CsvFile::end_field() {
  ends_.push_back(text_.size());
}

// False at the end of the file.
bool CsvFile::read_record() {
  enum class Where { start, inside, quotes, after_quotes } where = Where::start;
  text_.clear();
  ends_.clear();
  record_line_ = line_;
  for (char c = 0; peek(c);) {
    ++at_;
    if (where == Where::quotes) {
      char following = 0;
      if (c != '"') {
        line_ += c == '\n' ? 1 : 0;
        text_ += c;
      } else if (peek(following) && following == '"') {
        ++at_;
        text_ += '"';
      } else {
        where = Where::after_quotes;
      }
    } else if (c == separator_) {
      end_field();
      where = Where::start;
    } else if (c == '\n' || c == '\r') {
      char following = 0;
      if (c == '\r' && peek(following) && following == '\n') ++at_;
      ++line_;
      if (ends_.empty() && where == Where::start) {  // an empty line
        record_line_ = line_;
        continue;
      }
      end_field();
      check_text();
      return true;
    } else if (where == Where::after_quotes) {
      fail("text after a closing quotation mark: inside quotes, it must be doubled");
    } else if (c == '"' && where == Where::start) {
      where = Where::quotes;
    } else {
      text_ += c;
      where = Where::inside;
    }
    if (text_.size() > kLongestLine) fail("the record is longer than " + std::to_string(kLongestLine) + " bytes");
  }
  if (where == Where::quotes) fail("a quotation mark is not closed");
  if (ends_.empty() && where == Where::start) return false;
  end_field();
  check_text();
  return true;
}

void CsvFile::check_text() const {
  if (!is_utf8(text_)) fail("the text is not UTF-8: " + quoted(text_));
}

// Another block, after what is there is used up; false at the end of the file.
bool CsvFile::fill() {
  try {
    at_ = 0;
    end_ = source_->read(buffer_.data(), buffer_.size());
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, line_, broken.what());
  }
  return end_ > 0;
}

void CsvFile::fail(const std::string& what) const {
  throw DataError(file_, record_line_, what);
}

}  // namespace rota::io
