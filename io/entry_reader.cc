#include "rota/io/entry_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "io/memory_rows.h"
#include "rota/error.h"
#include "rota/io/csv_file.h"
#include "rota/io/lines.h"
#include "rota/io/matrix_market.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/numpy_file.h"
#include "rota/io/row_reader.h"

namespace rota::io {
namespace {

using Separator = EntryForm::Separator;
using Header = EntryForm::Header;

constexpr std::size_t kFields = 4;  // of an entry
constexpr std::size_t kNone = ~std::size_t{0};

// Where the fields of an entry are among the columns; kNone for one that --columns leaves out.
using Places = std::array<std::size_t, kFields>;

Places places_of(const EntryForm& form, std::span<const std::string> names, std::size_t columns,
                 const std::string& file, std::uint64_t line) {
  if (form.columns.empty()) return {0, 1, 2, 3};
  Places places;
  places.fill(kNone);
  std::string_view rest = form.columns;
  std::size_t count = 0;
  for (; !rest.empty() && count < kFields; ++count) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    places[count] = find_column(rest.substr(0, end), names, columns, file, line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (count < form.fewest || !rest.empty())
    throw UsageError("--columns=" + form.columns + ": expected " + form.expected + ", and at most four columns");
  return places;
}

// ---- text

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
// What begins a line of two names of columns, which else could be names of any.
constexpr std::string_view kFirstColumns[] = {"from", "From", "source", "Source", "src", "user", "userId", "user_id"};

// Also true for nan and inf, which are not names of columns.
bool is_like_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return end == field.data() + field.size() || field.find_first_of("0123456789") != field.npos;
}

class TextEntries final : public EntryReader {
 public:
  TextEntries(const std::string& path, const EntryForm& form, const std::string& format)
      : lines_(path), form_(form), words_(form.words && format == "text"), separator_(form.separator) {
    if (format == "tsv" && separator_ == Separator::unknown) separator_ = Separator::tab;
  }

  bool next(Entry& entry) override {
    for (std::string_view line; lines_.next(line);) {
      const std::string_view text = trimmed(line);
      if (text.empty() || text.front() == '#') continue;
      if (!begun_ && begin(line)) continue;
      split(line, separator_);
      if (fields_.size() < needed_ || field(0).empty() || field(1).empty()) refuse(line);
      entry = {field(0), field(1), field(2), field(3), line};
      return true;
    }
    return false;
  }
  void fail(const std::string& what) const override { lines_.fail(what); }

 private:
  std::string_view field(std::size_t i) const {
    return places_[i] < fields_.size() ? fields_[places_[i]] : std::string_view();
  }
  [[noreturn]] void refuse(std::string_view line) const {
    lines_.fail("expected " + form_.expected + ", found " + quoted(line));
  }

  // What follows the quotation mark that ends a field; npos without one.
  static std::size_t after_quotes(std::string_view line, std::size_t at) {
    for (; at < line.size(); ++at) {
      if (line[at] != '"') continue;
      if (at + 1 == line.size() || line[at + 1] != '"') return at;
      ++at;  // a doubled mark
    }
    return line.npos;
  }
  std::string_view unquoted(std::string_view field) {
    const std::size_t begin = text_.size();
    for (std::size_t i = 1; i + 1 < field.size(); ++i) {
      text_ += field[i];
      if (field[i] == '"') ++i;
    }
    return std::string_view(text_).substr(begin);
  }

  // Puts the line's fields into fields_, up to the last that is used; none if a quotation mark is not closed.
  void split(std::string_view line, Separator separator) {
    fields_.clear();
    if (separator == Separator::blanks) {
      while (fields_.size() < used_) {
        const std::string_view field = next_field(line);
        if (field.empty()) return;
        fields_.push_back(field);
      }
      return;
    }
    const std::string_view mark = std::ranges::find(kMarks, separator, &Mark::separator)->text;
    const bool quotes = separator == Separator::comma || separator == Separator::semicolon;
    text_.clear();
    text_.reserve(line.size());  // so that views of it stay where they are
    while (fields_.size() < used_) {
      const std::size_t first = line.find_first_not_of(' ');
      const bool opened = quotes && first != line.npos && line[first] == '"';
      const std::size_t from = opened ? after_quotes(line, first + 1) : 0;
      if (from == line.npos) return fields_.clear();
      const std::size_t end = line.find(mark, from);
      const std::string_view field = trimmed(line.substr(0, end));
      fields_.push_back(opened && field.size() >= 2 && field.back() == '"' ? unquoted(field) : field);
      if (end == line.npos) return;
      line.remove_prefix(end + mark.size());
    }
  }

  // Detects the form of the lines from the first one; whether that names the columns.
  bool begin(std::string_view line) {
    begun_ = true;
    const auto separates = [&](Separator separator) {
      split(line, separator);
      return fields_.size() >= form_.fewest;
    };
    if (separator_ == Separator::unknown && words_ && separates(Separator::blanks)) separator_ = Separator::blanks;
    for (const Mark& mark : kMarks)
      if (separator_ == Separator::unknown && separates(mark.separator)) separator_ = mark.separator;
    if (separator_ == Separator::unknown) refuse(line);
    split(line, separator_);
    bool named = form_.header == Header::yes;
    if (form_.header == Header::unknown) {
      const auto numbers = [](std::string_view text) { return text.find_first_not_of("0123456789,") == text.npos; };
      named = !numbers(form_.columns);
      if (!named && !(words_ && separator_ == Separator::blanks)) {
        places_ = places_of(form_, {}, fields_.size(), lines_.file(), lines_.number());
        named = field(2).empty() ? std::ranges::find(kFirstColumns, field(0)) != std::end(kFirstColumns)
                                 : !is_like_number(field(2));
      }
    }
    if (named) header_ = line;
    const std::vector<std::string> all(fields_.begin(), fields_.end());
    places_ =
        places_of(form_, std::span(all).first(named ? all.size() : 0), all.size(), lines_.file(), lines_.number());
    needed_ = 1 + *std::max_element(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(form_.fewest));
    used_ = needed_;
    for (const std::size_t place : places_)
      if (place != kNone) used_ = std::max(used_, place + 1);
    return named;
  }

  Lines lines_;
  EntryForm form_;
  bool words_;
  Separator separator_;
  bool begun_ = false;
  Places places_ = {};
  std::size_t needed_ = 0, used_ = kNone;  // the number of fields up to the last one that must be there, that is used
  std::vector<std::string_view> fields_;
  std::string text_;  // of fields without their quotation marks
};

// ---- numbers

class MarketEntries final : public EntryReader {
 public:
  explicit MarketEntries(const std::string& path) : lines_(path), reader_(lines_) {
    if (reader_.size().array) lines_.fail("expected a 'coordinate' file, whose entries have a row and a column");
  }
  bool next(Entry& entry) override {
    MatrixEntry next{};
    if (!reader_.next(next)) return false;
    first_ = exact_text(next.row + std::uint64_t{1});
    second_ = exact_text(next.column + std::uint64_t{1});
    value_ = reader_.size().field == MatrixField::pattern ? "" : exact_text(next.value);
    entry = {first_, second_, value_, {}, {}};
    return true;
  }
  void fail(const std::string& what) const override { lines_.fail(what); }

 private:
  Lines lines_;
  MatrixMarketReader reader_;
  std::string first_, second_, value_;
};

NumberArray triples(const SparseMatrix& matrix) {
  NumberArray array{{matrix.values.size(), 3}, {}};
  array.numbers.reserve(3 * matrix.values.size());
  for (std::uint64_t r = 0; r < matrix.rows; ++r)
    for (std::uint64_t e = matrix.begins[r]; e < matrix.begins[r + 1]; ++e)
      for (const double number : {static_cast<double>(r), static_cast<double>(matrix.column[e]), matrix.values[e]})
        array.numbers.push_back(number);
  return array;
}

class ArrayEntries final : public EntryReader {
 public:
  ArrayEntries(std::string path, NumberArray array, const EntryForm& form)
      : path_(std::move(path)), array_(std::move(array)) {
    if (array_.shape.size() != 2 || array_.shape[1] < form.fewest)
      throw DataError(path_, 0, "expected " + form.expected + " in each row of an array of two dimensions");
    places_ = places_of(form, {}, array_.shape[1], path_, 0);
  }
  bool next(Entry& entry) override {
    if (at_ == array_.shape[0]) return false;
    for (std::size_t i = 0; i < kFields; ++i) {
      if (places_[i] >= array_.shape[1]) continue;
      const double number = array_.numbers[at_ * array_.shape[1] + places_[i]];
      const bool whole = number >= 0 && number <= 9007199254740992.0 && number == std::floor(number);  // 2^53
      texts_[i] = whole ? exact_text(static_cast<std::uint64_t>(number)) : exact_text(number);
      if (i < 2 && !whole)
        throw DataError(path_, 0,
                        "row " + std::to_string(at_ + 1) + ": " + quoted(texts_[i]) + " is not a whole number");
    }
    ++at_;
    entry = {texts_[0], texts_[1], texts_[2], texts_[3], {}};
    return true;
  }
  void fail(const std::string& what) const override {
    throw DataError(path_, 0, "the entry of " + texts_[0] + " and " + texts_[1] + ": " + what);
  }

 private:
  std::string path_;
  NumberArray array_;
  Places places_{};
  std::uint64_t at_ = 0;  // the next row
  std::array<std::string, kFields> texts_;
};

}  // namespace

std::unique_ptr<EntryReader> read_entries(const std::string& path, const EntryForm& form) {
  if (is_memory_name(path)) return read_memory_entries(path, form);
  const std::string format = form.format == "auto" ? found_format(path) : form.format;
  const bool text = format == "text" || format == "csv" || format == "tsv";
  if (format == "parquet") {
    if (form.separator != Separator::unknown || form.header != Header::unknown)
      throw UsageError("--separator and --header are for text, and " + path + " is " + format);
    if (!is_parquet(path)) throw DataError(path, 0, "it is no Parquet file");
    EntryForm of_table = form;
    of_table.separator = Separator::comma;
    of_table.header = Header::yes;
    return std::make_unique<TextEntries>(path, of_table, "csv");
  }
  if (text) return std::make_unique<TextEntries>(path, form, format);
  if (form.separator != Separator::unknown || form.header != Header::unknown)
    throw UsageError("--separator and --header are for text, and " + path + " is " + format);
  if (!form.columns.empty() && format != "npy")
    throw UsageError("--columns is for text, Parquet and .npy, and " + path + " is " + format);
  if (format == "matrix_market") return std::make_unique<MarketEntries>(path);
  return std::make_unique<ArrayEntries>(path, format == "npy" ? read_npy(path) : triples(read_npz(path)), form);
}

}  // namespace rota::io
