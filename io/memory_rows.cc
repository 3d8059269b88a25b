#include "io/memory_rows.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "rota/error.h"
#include "rota/io/csv_file.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

using Input = std::shared_ptr<const MemoryInput>;

Input memory_input(const std::string& name) {
  const MemoryInputs* const inputs = memory_slot();
  Input input = inputs == nullptr ? nullptr : inputs->find(name);
  if (input == nullptr) throw NoInput(name + ": this process holds no data of that name");
  return input;
}

std::string row_text(std::uint64_t row) {
  return "row " + std::to_string(row + 1) + ": ";
}

// The rows of a matrix, each as spans of its entries.
class Matrix {
 public:
  Matrix(std::string name, Input input) : name_(std::move(name)), input_(std::move(input)) {
    if (!input_->dense) check_shape();
  }

  const MemoryInput& input() const { return *input_; }
  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return input_->rows; }
  std::uint64_t columns() const { return input_->columns; }
  std::span<const std::uint32_t> row_columns() const { return columns_; }
  std::span<const double> row_values() const { return values_; }

  // Sets the row's entries; zeros among them are left out, if they are `unwanted`.  Columns ascend in rows of a sparse
  // matrix.  Throws DataError if they do not, or are out of range.
  void read(std::uint64_t row, bool unwanted) {
    row_ = row;
    if (input_->dense)
      read_dense();
    else
      std::visit([&](auto begins, auto column, auto values) { read_sparse(begins, column, values); }, input_->begins,
                 input_->column, input_->values);
    if (unwanted) leave_out_zeros();
  }
  // Entries of the row as they are stored, zeros too.
  std::uint64_t written() const { return written_; }
  // Whether both spans are of the data itself.
  bool in_place() const {
    return columns_.data() != own_columns_.data() && columns_.data() != kept_columns_.data() &&
           values_.data() != own_values_.data() && values_.data() != kept_values_.data();
  }
  bool finite() const {
    double sum = 0;  // not a number as soon as one is none, or infinite
    for (const double value : values_) sum += value - value;
    return sum == 0;
  }

 private:
  void check_shape() const {
    const auto check = [&](auto begins, auto column, auto values) {
      const auto entries = std::min(column.size(), values.size());
      bool valid = begins.size() == input_->rows + 1 && begins.front() == 0;
      for (std::size_t r = 0; valid && r + 1 < begins.size(); ++r) valid = begins[r] <= begins[r + 1];
      if (!valid || static_cast<std::uint64_t>(begins.back()) > entries)
        throw DataError(name_, 0, "the arrays of the sparse matrix do not fit together");
    };
    std::visit(check, input_->begins, input_->column, input_->values);
  }

  template <typename I, typename C, typename V>
  void read_sparse(std::span<const I> begins, std::span<const C> column, std::span<const V> values) {
    const auto begin = static_cast<std::size_t>(begins[row_]);
    const std::size_t count = static_cast<std::size_t>(begins[row_ + 1]) - begin;
    column = column.subspan(begin, count);
    values = values.subspan(begin, count);
    written_ = count;
    bool ascends = count == 0 || (column[0] >= 0 && static_cast<std::uint64_t>(column[count - 1]) < input_->columns);
    for (std::size_t e = 1; e < count; ++e) ascends = ascends && column[e - 1] < column[e];
    if (!ascends)
      throw DataError(name_, 0, row_text(row_) + "its columns do not ascend, or there are more than the matrix has");
    if constexpr (sizeof(C) == sizeof(std::uint32_t)) {
      columns_ = {reinterpret_cast<const std::uint32_t*>(column.data()), count};  // none is negative
    } else {
      own_columns_.assign(column.begin(), column.end());
      columns_ = own_columns_;
    }
    if constexpr (std::is_same_v<V, double>) {
      values_ = values;
    } else {
      own_values_.assign(values.begin(), values.end());
      values_ = own_values_;
    }
  }

  void read_dense() {
    while (own_columns_.size() < input_->columns)
      own_columns_.push_back(static_cast<std::uint32_t>(own_columns_.size()));
    columns_ = own_columns_;
    written_ = input_->columns;
    std::visit(
        [&]<typename V>(std::span<const V> values) {
          const V* at = values.data() + row_ * input_->row_stride;
          if constexpr (std::is_same_v<V, double>) {
            if (input_->column_stride == 1) {
              values_ = {at, static_cast<std::size_t>(input_->columns)};
              return;
            }
          }
          own_values_.resize(input_->columns);
          for (double& value : own_values_) {
            value = static_cast<double>(*at);
            at += input_->column_stride;
          }
          values_ = own_values_;
        },
        input_->values);
  }

  void leave_out_zeros() {
    std::size_t zeros = 0;
    for (const double value : values_) zeros += value == 0 ? 1 : 0;
    if (zeros == 0) return;
    kept_columns_.clear();
    kept_values_.clear();
    for (std::size_t e = 0; e < values_.size(); ++e) {
      if (values_[e] == 0) continue;
      kept_columns_.push_back(columns_[e]);
      kept_values_.push_back(values_[e]);
    }
    columns_ = kept_columns_;
    values_ = kept_values_;
  }

  std::string name_;
  Input input_;
  std::uint64_t row_ = 0, written_ = 0;
  std::span<const std::uint32_t> columns_;
  std::span<const double> values_;
  // What is not in memory as it is wanted.
  std::vector<std::uint32_t> own_columns_, kept_columns_;
  std::vector<double> own_values_, kept_values_;
};

class MemoryRows final : public RowReader {
 public:
  MemoryRows(const std::string& name, const RowForm& form)
      : matrix_(name, memory_input(name)), labels_(matrix_.input().labels) {
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
  Matrix matrix_;
  std::span<const double> labels_;
  std::uint64_t at_ = 0;  // the next row
};

class MemoryEntries final : public EntryReader {
 public:
  MemoryEntries(const std::string& name, const EntryForm& form) : matrix_(name, memory_input(name)) {
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

  Matrix matrix_;
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
  Matrix matrix(name, memory_input(name));
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
  const Input input = memory_input(name);
  if (input->dense) return input->rows * input->columns;
  return std::visit([](auto column) { return std::uint64_t{column.size()}; }, input->column);
}

}  // namespace rota::io
