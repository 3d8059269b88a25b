// rota/io/memory_matrix.h -- the rows of a matrix that the process holds (rota/memory_input.h), seen there where their
// types fit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rota/memory_input.h"

namespace rota::io {

// Not for use by several threads.
class MemoryMatrix {
 public:
  // Throws NoInput if the process holds no data of that name, DataError if its arrays do not fit together.
  explicit MemoryMatrix(std::string name);

  const MemoryInput& input() const { return *input_; }
  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return input_->rows; }
  std::uint64_t columns() const { return input_->columns; }
  std::span<const std::uint32_t> row_columns() const { return columns_; }
  std::span<const double> row_values() const { return values_; }

  // Sets the row's entries; zeros among them are left out, if they are `unwanted`.  Columns ascend in rows of a sparse
  // matrix.  Throws DataError if they do not, or are out of range.
  void read(std::uint64_t row, bool unwanted);
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
  void check_shape() const;
  template <typename I, typename C, typename V>
  void read_sparse(std::span<const I> begins, std::span<const C> column, std::span<const V> values);
  void read_dense();
  void leave_out_zeros();

  std::string name_;
  std::shared_ptr<const MemoryInput> input_;
  std::uint64_t row_ = 0, written_ = 0;
  std::span<const std::uint32_t> columns_;
  std::span<const double> values_;
  // What is not in memory as it is wanted.
  std::vector<std::uint32_t> own_columns_, kept_columns_;
  std::vector<double> own_values_, kept_values_;
};

}  // namespace rota::io
