#include "io/memory_rows.h"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "rota/error.h"
#include "rota/io/byte_source.h"
#include "rota/io/csv_file.h"
#include "rota/io/input_size.h"
#include "rota/io/memory_matrix.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

std::string row_text(std::uint64_t row) {
  return "row " + std::to_string(row + 1) + ": ";
}

class MemoryRows final : public RowReader {
 public:
  MemoryRows(const std::string& name, const RowForm& form) : matrix_(name), labels_(matrix_.input().labels) {
    const std::uint64_t columns = matrix_.columns();
    const std::vector<std::string>& names = matrix_.input().names;
    if (columns > kMostColumns)
      throw DataError(name, 0, "the data has at most " + std::to_string(kMostColumns) + " columns");
    if (!form.target.empty()) throw UsageError("--target is for files, and " + name + " is in memory");
    if (form.labels == RowForm::Labels::required && labels_.empty()) throw UsageError(name + " has no labels");
    if (form.labels == RowForm::Labels::ignored) labels_ = {};
    if (!form.names.empty() && columns != form.names.size())
      throw DataError(name, 0,
                      "expected " + std::to_string(form.names.size()) + " columns, found " + std::to_string(columns));
    if (!form.names.empty() && !names.empty() && names != form.names)
      throw DataError(name, 0, "its columns have other names, or another order");
  }

  bool next(LabelledValues& row) override {
    if (at_ == matrix_.rows()) return false;
    matrix_.read(at_, true);
    row = {labels_.empty() ? 0 : labels_[at_], matrix_.row_columns(), matrix_.row_values(), matrix_.written()};
    row.stays = matrix_.in_place();
    ++at_;
    if (!matrix_.finite() || row.label - row.label != 0) fail("a value is not a finite number");
    return true;
  }
  std::uint64_t columns() const override { return matrix_.columns(); }
  std::vector<std::string> names() const override { return matrix_.input().names; }
  std::uint64_t line() const override { return 0; }
  void fail(const std::string& what) const override { throw DataError(matrix_.name(), 0, row_text(at_ - 1) + what); }

 private:
  MemoryMatrix matrix_;
  std::span<const double> labels_;
  std::uint64_t at_ = 0;  // the next row
};

class MemoryEntries final : public EntryReader {
 public:
  MemoryEntries(const std::string& name, const EntryForm& form) : matrix_(name) {
    if (form.separator != EntryForm::Separator::unknown || form.header != EntryForm::Header::unknown ||
        !form.columns.empty())
      throw UsageError("--separator, --header and --columns are for files, and " + name + " is in memory");
    if (matrix_.input().dense && matrix_.columns() < form.fewest)
      throw DataError(name, 0, "expected " + form.expected + " in each row of an array of two dimensions");
  }

  bool next(Entry& entry) override { return matrix_.input().dense ? next_dense(entry) : next_sparse(entry); }
  void fail(const std::string& what) const override {
    throw DataError(matrix_.name(), 0, row_text(matrix_.input().dense ? row_ - 1 : row_) + what);
  }

 private:
  static constexpr std::size_t kFields = 4;  // of an entry
  using Text = std::array<char, 32>;

  template <typename T>
  std::string_view text(std::size_t field, T number) {
    Text& to = texts_[field];
    return {to.data(),
            static_cast<std::size_t>(std::to_chars(to.data(), to.data() + to.size(), number).ptr - to.data())};
  }

  bool next_dense(Entry& entry) {
    if (row_ == matrix_.rows()) return false;
    matrix_.read(row_++, false);
    std::array<std::string_view, kFields> fields;
    for (std::size_t i = 0; i < std::min<std::size_t>(kFields, matrix_.columns()); ++i) {
      const double number = matrix_.row_values()[i];
      const bool whole = number >= 0 && number <= 9007199254740992.0 && number == std::floor(number);  // 2^53
      if (i < 2 && !whole) fail(quoted(text(i, number)) + " is not a whole number");
      fields[i] = whole ? text(i, static_cast<std::uint64_t>(number)) : text(i, number);
    }
    entry = {fields[0], fields[1], fields[2], fields[3], {}};
    return true;
  }
  bool next_sparse(Entry& entry) {
    while (at_ == matrix_.row_values().size()) {
      if (begun_) ++row_;
      if (row_ >= matrix_.rows()) return false;
      begun_ = true;
      matrix_.read(row_, false);
      at_ = 0;
    }
    entry = {text(0, row_), text(1, matrix_.row_columns()[at_]), text(2, matrix_.row_values()[at_]), {}, {}};
    ++at_;
    return true;
  }

  MemoryMatrix matrix_;
  std::uint64_t row_ = 0;  // of a dense matrix the next one; of a sparse one the one whose entries are being given
  bool begun_ = false;
  std::size_t at_ = 0;  // the next entry of the row
  std::array<Text, kFields> texts_;
};

}  // namespace

std::unique_ptr<RowReader> read_memory_rows(const std::string& name, const RowForm& form) {
  return std::make_unique<MemoryRows>(name, form);
}

std::unique_ptr<EntryReader> read_memory_entries(const std::string& name, const EntryForm& form) {
  return std::make_unique<MemoryEntries>(name, form);
}

std::vector<double> memory_numbers(const std::string& name) {
  MemoryMatrix matrix(name);
  if (!matrix.input().dense || matrix.columns() != 1) throw DataError(name, 0, "expected one number a row");
  std::vector<double> numbers;
  numbers.reserve(matrix.rows());
  for (std::uint64_t r = 0; r < matrix.rows(); ++r) {
    matrix.read(r, false);
    numbers.push_back(matrix.row_values()[0]);
  }
  return numbers;
}

std::uint64_t memory_entries(const std::string& name) {
  const MemoryMatrix matrix(name);
  if (matrix.input().dense) return matrix.rows() * matrix.columns();
  return std::visit([](auto column) { return std::uint64_t{column.size()}; }, matrix.input().column);
}

std::uint64_t input_bytes(const std::vector<std::string>& inputs) {
  std::uint64_t bytes = 0;
  for (const std::string& input : inputs) {
    std::error_code error;
    const std::uint64_t size = is_memory_name(input) ? sizeof(double) * memory_entries(input)
                               : is_remote(input)    ? open_remote_file(input)->size()
                                                     : std::filesystem::file_size(input, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace rota::io
