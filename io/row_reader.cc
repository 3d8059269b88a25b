#include "rota/io/row_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/memory_rows.h"
#include "io/vw_rows.h"
#include "rota/error.h"
#include "rota/io/byte_source.h"
#include "rota/io/csv_file.h"
#include "rota/io/decimal.h"
#include "rota/io/matrix_market.h"
#include "rota/io/numbers.h"
#include "rota/io/numpy_file.h"
#include "rota/io/text_file.h"

namespace rota::io {
namespace {

// The entries of a row that is built one after the other.
class RowBuilder {
 public:
  void clear() { columns_.clear(), values_.clear(); }
  void add(std::uint64_t column, double value) {
    if (value == 0) return;
    columns_.push_back(static_cast<std::uint32_t>(column));
    values_.push_back(value);
  }
  LabelledValues row(double label, std::uint64_t written) const { return {label, columns_, values_, written}; }

 private:
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

void check_columns(const std::string& path, std::uint64_t columns) {
  if (columns > kMostColumns)
    throw DataError(path, 0, "the data has at most " + std::to_string(kMostColumns) + " columns");
}

// ---- lines of text: LIBSVM, Vowpal Wabbit

std::optional<WrongLine> parse(LibsvmRows& rows, std::string_view text, LibsvmSize& size) {
  return rows.parse(text, {}, size);
}
std::optional<WrongLine> parse(VwRows& rows, std::string_view text, LibsvmSize& size) {
  return rows.parse(text, size);
}

LineBlocks blocks_of(const TextFile& file, const std::optional<ByteRange>& part) {
  if (!part) return file.all_lines();
  if (!file.divisible())
    throw DataError(file.path(), 0, "a part of a compressed file cannot be read: expected a plain one");
  return file.lines(file.line_start(part->begin), file.line_start(part->end));
}

template <typename Rows>
class LinesReader final : public RowReader {
 public:
  LinesReader(const std::string& path, const std::optional<ByteRange>& part, Rows rows)
      : file_(path), blocks_(blocks_of(file_, part)), rows_(std::move(rows)), first_(part ? part->begin : 0) {}

  bool next(LabelledValues& row) override {
    while (at_ == rows_.ends().size())
      if (!next_block()) return false;
    const std::size_t begin = at_ == 0 ? 0 : rows_.ends()[at_ - 1], count = rows_.ends()[at_] - begin;
    row = {rows_.labels()[at_], {rows_.columns() + begin, count}, {rows_.values() + begin, count}, count};
    if constexpr (requires { rows_.weights(); }) row.weight = rows_.weights()[at_];
    ++at_;
    return true;
  }
  std::uint64_t columns() const override { return size_.columns; }
  // Of a part, within the part.
  std::uint64_t line() const override {
    // Counted from the row that was asked for before, so that all calls together look at each byte once.
    const std::size_t begin = at_ == 0 ? 0 : rows_.begins()[at_ - 1];
    lines_before_ += lines_in(block_.substr(counted_, begin - counted_));
    counted_ = begin;
    return lines_before_ + 1;
  }
  void fail(const std::string& what) const override { throw DataError(file_.path(), lines_skipped() + line(), what); }

 private:
  static std::uint64_t lines_in(std::string_view text) {
    return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  }
  // Of the file before the part: counted only for an error.
  std::uint64_t lines_skipped() const {
    if (first_ == 0) return 0;
    LineBlocks blocks = file_.lines(0, file_.line_start(first_));
    std::uint64_t lines = 0;
    for (std::string_view block; blocks.next(block);) lines += lines_in(block);
    return lines;
  }
  bool next_block() {
    try {
      if (!blocks_.next(block_)) return false;
    } catch (const BrokenBytes& broken) {
      throw DataError(file_.path(), 0, broken.what());
    }
    lines_before_ = size_.lines;
    counted_ = 0;
    at_ = 0;
    if (const auto wrong = parse(rows_, block_, size_))
      throw DataError(file_.path(), lines_skipped() + lines_before_ + wrong->lines_before + 1, wrong->what);
    return true;
  }

  TextFile file_;
  LineBlocks blocks_;
  Rows rows_;
  LibsvmSize size_;
  std::uint64_t first_;  // byte of the part
  std::string_view block_;
  mutable std::uint64_t lines_before_ = 0;  // this place of the block
  mutable std::size_t counted_ = 0;
  std::size_t at_ = 0;  // the next row of the block
};

// Whether a column of a file that has no other labels is the target.  Throws UsageError if one is required and not
// named.
bool has_target(const std::string& path, const RowForm& form, std::uint64_t columns, bool by_name, bool absent) {
  const bool required = form.labels == RowForm::Labels::required;
  if (form.target.empty() && required)
    throw UsageError("--target is required: it names the column of " + path + " that has the labels");
  if (form.target.empty() || (absent && !required)) return false;
  if (form.labels == RowForm::Labels::ignored && by_name) return false;
  return required || by_name || columns != form.columns;
}

// ---- CSV

char separator_of(const RowForm& form) {
  if (form.separator.empty()) return form.format == "tsv" ? '\t' : '\0';
  return form.separator == "tab" ? '\t' : form.separator.front();
}

// Where the file has these columns.  Throws DataError as CsvFile::column().
std::vector<std::size_t> places_of(const std::vector<std::string>& wanted, const CsvFile& file) {
  std::unordered_map<std::string_view, std::size_t> first, repeated;
  for (std::size_t i = 0; i < file.columns(); ++i)
    if (!first.try_emplace(file.names()[i], i).second) repeated.try_emplace(file.names()[i], i);
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto found = first.find(name);
    places.push_back(found == first.end() || repeated.contains(name) ? file.column(name) : found->second);
  }
  return places;
}

class CsvReader final : public RowReader {
 public:
  CsvReader(const std::string& path, const RowForm& form)
      : file_(path, {.separator = separator_of(form)}),
        fill_missing_(form.fill_missing),
        words_allowed_(form.words_allowed),
        labels_ignored_(form.labels == RowForm::Labels::ignored),
        words_(form.words) {
    check_columns(path, file_.columns());
    const auto& there = file_.names();
    const bool by_name = !form.names.empty() && !there.empty();
    const bool absent = by_name && std::ranges::find(there, form.target) == there.end();
    if (has_target(path, form, file_.columns(), by_name, absent)) target_ = file_.column(form.target);
    if (by_name) {
      place_ = places_of(form.names, file_);
      return;
    }
    for (std::size_t i = 0; i < file_.columns(); ++i)
      if (i != target_) place_.push_back(i);
    if (!form.names.empty() && place_.size() != form.names.size())
      throw DataError(path, 1,
                      "expected " + std::to_string(form.names.size()) + " columns, found " +
                          std::to_string(place_.size()) + ", and they have no names");
  }

  bool next(LabelledValues& row) override {
    if (!file_.next(fields_)) return false;
    builder_.clear();
    for (std::size_t column = 0; column < place_.size(); ++column) builder_.add(column, number(place_[column]));
    row = builder_.row(target_ && !labels_ignored_ ? label() : 0, columns());
    return true;
  }
  std::uint64_t columns() const override { return place_.size(); }
  std::vector<std::string> words() const override { return words_; }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    if (!file_.names().empty())
      for (const std::size_t i : place_) names.push_back(file_.names()[i]);
    return names;
  }
  std::uint64_t line() const override { return file_.line(); }
  void fail(const std::string& what) const override { file_.fail(what); }

 private:
  static bool is_missing(std::string_view field) {
    return field.empty() || field == "NA" || field == "NaN" || field == "nan";
  }
  [[noreturn]] void refuse(std::size_t i, const std::string& what) const {
    const std::string name = i < file_.names().size() ? file_.names()[i] : std::to_string(i + 1);
    file_.fail("column " + io::quoted(name) + ": " + what);
  }
  double number(std::size_t i) const {
    const std::string_view field = trimmed(fields_[i]);
    double value = 0;
    if (parse_number(field, value)) return value;
    if (!is_missing(field)) refuse(i, io::quoted(field) + " is not a number");
    if (!fill_missing_) refuse(i, "a value is missing: fill it, or say --missing=zero");
    return 0;
  }
  // Words, if those known before are, or the first label is one.
  double label() {
    const std::string_view field = trimmed(fields_[*target_]);
    double value = 0;
    if (words_.empty() && words_allowed_) words_allowed_ = !parse_number(field, value);
    if (!words_allowed_) return number(*target_);
    if (is_missing(field)) refuse(*target_, "the label is missing");
    const auto found = std::ranges::find(words_, field);
    const auto position = static_cast<double>(found - words_.begin());
    if (found == words_.end()) words_.emplace_back(field);
    return position;
  }

  CsvFile file_;
  bool fill_missing_, words_allowed_, labels_ignored_;
  std::vector<std::string> words_;
  std::optional<std::size_t> target_;
  std::vector<std::size_t> place_;  // in the file, of each column
  std::vector<std::string_view> fields_;
  RowBuilder builder_;
};

// ---- matrices in memory

class MatrixReader final : public RowReader {
 public:
  MatrixReader(std::string path, SparseMatrix matrix, const RowForm& form)
      : path_(std::move(path)), matrix_(std::move(matrix)) {
    check_columns(path_, matrix_.columns);
    if (!has_target(path_, form, matrix_.columns, false, false)) return;
    std::uint64_t number = 0;
    const char* const end = form.target.data() + form.target.size();
    if (scan_digits(form.target.data(), end, number) != end || number == 0 || number > matrix_.columns)
      throw UsageError("--target=" + form.target + ": " + path_ + " has the columns 1 to " +
                       std::to_string(matrix_.columns) + ", without names");
    target_ = number - 1;
  }

  bool next(LabelledValues& row) override {
    if (at_ == matrix_.rows) return false;
    builder_.clear();
    double label = 0;
    for (std::uint64_t e = matrix_.begins[at_]; e < matrix_.begins[at_ + 1]; ++e) {
      const std::uint32_t column = matrix_.column[e];
      if (column == target_)
        label = matrix_.values[e];
      else
        builder_.add(column - (target_ && column > *target_ ? 1 : 0), matrix_.values[e]);
    }
    ++at_;
    row = builder_.row(label, matrix_.begins[at_] - matrix_.begins[at_ - 1]);
    if (!std::ranges::all_of(row.values, [](double x) { return x - x == 0; }) || label - label != 0)
      fail("a value is not a finite number");
    return true;
  }
  std::uint64_t columns() const override { return matrix_.columns - (target_ ? 1 : 0); }
  std::uint64_t line() const override { return 0; }
  void fail(const std::string& what) const override {
    throw DataError(path_, 0, "row " + std::to_string(at_) + ": " + what);
  }

 private:
  std::string path_;
  SparseMatrix matrix_;
  std::optional<std::uint64_t> target_;
  std::uint64_t at_ = 0;  // the next row
  RowBuilder builder_;
};

SparseMatrix dense_matrix(const std::string& path) {
  NumberArray array = read_npy(path);
  if (array.shape.size() != 2)
    throw DataError(path, 0, "an array of " + std::to_string(array.shape.size()) + " dimensions: rows need two");
  SparseMatrix matrix{array.shape[0], array.shape[1], {}, {}, std::move(array.numbers)};
  check_columns(path, matrix.columns);
  for (std::uint64_t r = 0; r <= matrix.rows; ++r) matrix.begins.push_back(r * matrix.columns);
  matrix.column.resize(matrix.values.size());
  for (std::size_t e = 0; e < matrix.column.size(); ++e)
    matrix.column[e] = static_cast<std::uint32_t>(e % matrix.columns);
  return matrix;
}

SparseMatrix market_matrix(const std::string& path) {
  std::vector<MatrixEntry> entries;
  Lines lines(path);
  const MatrixMarketSize size = read_matrix_market(
      lines, [&](std::span<const MatrixEntry> some) { entries.insert(entries.end(), some.begin(), some.end()); });
  std::ranges::stable_sort(entries, {}, [](const MatrixEntry& one) { return std::pair(one.row, one.column); });
  SparseMatrix matrix{size.rows, size.columns, std::vector<std::uint64_t>(size.rows + 1), {}, {}};
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column)
      throw DataError(path, line_of_repeated(path, entries[e].row, entries[e].column), "the entry is there twice");
    ++matrix.begins[entries[e].row + std::size_t{1}];
    matrix.column.push_back(entries[e].column);
    matrix.values.push_back(entries[e].value);
  }
  std::partial_sum(matrix.begins.begin(), matrix.begins.end(), matrix.begins.begin());
  return matrix;
}

}  // namespace

void RowForm::check() const {
  if (separator.size() > 1 && separator != "tab")
    throw UsageError("--separator=" + separator + ": one character, or tab");
}

std::string found_format(const std::string& path) {
  char first[64];
  std::size_t used = 0;
  if (is_memory_name(path)) return "memory";
  if (name_of_input(path).ends_with(".npz")) return "npz";
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) return "text";
  if (const auto remote = open_remote_file(path);
      remote != nullptr && remote->stream(0, 6)->read(first, 6) == 6 && std::string_view(first, 6) == "\x93NUMPY")
    return "npy";
  if (std::ifstream plain(path, std::ios::binary); plain.read(first, 6) && std::string_view(first, 6) == "\x93NUMPY")
    return "npy";
  std::unique_ptr<ByteSource> source;
  try {
    source = open_bytes(path);
    for (std::size_t got = 1; got > 0 && used < sizeof first; used += got)
      got = source->read(first + used, sizeof first - used);
  } catch (const BrokenBytes& broken) {
    if (source == nullptr) throw DataError(path, 0, broken.what());
    // Otherwise the reader will say where the data is damaged.
  }
  if (source != nullptr && source->is_table()) return "parquet";
  std::string_view bytes(first, used), name = name_of_input(path);
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  if (bytes.starts_with("%%MatrixMarket")) return "matrix_market";
  for (const std::string_view packed : {".gz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  return name.ends_with(".csv") ? "csv" : name.ends_with(".tsv") ? "tsv" : "text";
}

std::unique_ptr<RowReader> read_rows(const std::string& path, const RowForm& form, std::optional<ByteRange> part) {
  if (is_memory_name(path)) return read_memory_rows(path, form);
  std::string format = form.format == "auto" ? found_format(path) : form.format;
  if (format == "text") format = "libsvm";
  if (format == "parquet" && !is_parquet(path)) throw DataError(path, 0, "it is no Parquet file");
  const bool lines = format == "libsvm" || format == "vw";
  if (lines && !form.target.empty() && form.columns == 0)
    throw UsageError("--target is for CSV, Parquet, NumPy and Matrix Market data, and " + path + " is " + format);
  if (part && !lines)
    throw UsageError("--stream reads parts of LIBSVM or Vowpal Wabbit text, and " + path + " is " + format);
  try {
    if (format == "libsvm") return std::make_unique<LinesReader<LibsvmRows>>(path, part, LibsvmRows(form.index_from));
    if (format == "vw") return std::make_unique<LinesReader<VwRows>>(path, part, VwRows());
  } catch (const BrokenBytes& broken) {
    throw DataError(path, 0, broken.what());
  }
  if (format == "npy") return std::make_unique<MatrixReader>(path, dense_matrix(path), form);
  if (format == "npz") return std::make_unique<MatrixReader>(path, read_npz(path), form);
  if (format == "matrix_market") return std::make_unique<MatrixReader>(path, market_matrix(path), form);
  RowForm of_file = form;
  of_file.format = format;
  return std::make_unique<CsvReader>(path, of_file);
}

}  // namespace rota::io
