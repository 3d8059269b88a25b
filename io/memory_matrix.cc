#include "rota/io/memory_matrix.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "rota/error.h"

namespace rota::io {
namespace {

std::shared_ptr<const MemoryInput> memory_input(const std::string& name) {
  const MemoryInputs* const inputs = memory_slot();
  std::shared_ptr<const MemoryInput> input = inputs == nullptr ? nullptr : inputs->find(name);
  if (input == nullptr) throw NoInput(name + ": this process holds no data of that name");
  return input;
}

}  // namespace

MemoryMatrix::MemoryMatrix(std::string name) : name_(std::move(name)), input_(memory_input(name_)) {
  if (!input_->dense) check_shape();
}

void MemoryMatrix::read(std::uint64_t row, bool unwanted) {
  row_ = row;
  if (input_->dense)
    read_dense();
  else
    std::visit([&](auto begins, auto column, auto values) { read_sparse(begins, column, values); }, input_->begins,
               input_->column, input_->values);
  if (unwanted) leave_out_zeros();
}

void MemoryMatrix::check_shape() const {
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
void MemoryMatrix::read_sparse(std::span<const I> begins, std::span<const C> column, std::span<const V> values) {
  const auto begin = static_cast<std::size_t>(begins[row_]);
  const std::size_t count = static_cast<std::size_t>(begins[row_ + 1]) - begin;
  column = column.subspan(begin, count);
  values = values.subspan(begin, count);
  written_ = count;
  bool ascends = count == 0 || (column[0] >= 0 && static_cast<std::uint64_t>(column[count - 1]) < input_->columns);
  for (std::size_t e = 1; e < count; ++e) ascends &= column[e - 1] < column[e];
  if (!ascends)
    throw DataError(
        name_, 0,
        "row " + std::to_string(row_ + 1) + ": its columns do not ascend, or there are more than the matrix has");
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

void MemoryMatrix::read_dense() {
  while (own_columns_.size() < input_->columns) own_columns_.push_back(static_cast<std::uint32_t>(own_columns_.size()));
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

void MemoryMatrix::leave_out_zeros() {
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

}  // namespace rota::io
