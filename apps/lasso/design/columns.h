// apps/lasso/design/columns.h -- a block of the design matrix in memory, column by column.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "apps/lasso/design/kernels.h"
#include "rota/fields.h"
#include "rota/numerics/large_vector.h"

namespace rota::lasso {

// The largest number, of a column or of the response, whose squares can be summed over 2^32 rows.
inline constexpr double kMostSquared = 1e140;
// The place of a block in the matrix: rows [first_row, end_row) of columns [first_column, end_column).
struct BlockRange {
  std::uint64_t first_row = 0, end_row = 0;
  std::uint64_t first_column = 0, end_column = 0;
  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

// The block's values that are not 0, with their rows; or, of a block that is nearly full, all values.
template <typename T>
struct SparseBlock {
  SparseColumn<T> column(std::size_t c) const {
    return {rows.data() + starts[c], values.data() + starts[c], starts[c + 1] - starts[c]};
  }
  LargeVector<std::uint64_t> starts;  // column c has places [starts[c], starts[c + 1])
  LargeVector<std::uint32_t> rows;    // from the block's first row; ascending in a column
  LargeVector<T> values;
};
template <typename T>
struct DenseBlock {
  DenseColumn<T> column(std::size_t c) const { return {values.data() + c * rows, rows}; }
  std::size_t rows = 0;
  LargeVector<T> values;  // column by column
};

// Never changes; threads may share it.  Columns and rows are numbered from the block's first (`column`), and spans over
// rows have rows() numbers.  Equal blocks give equal results to the last bit: every sum has one fixed order
// (kernels.h), and values are converted to double precision.
class Columns {
 public:
  using Storage = std::variant<SparseBlock<float>, SparseBlock<double>, DenseBlock<float>, DenseBlock<double>>;

  Columns() = default;  // of no rows and no columns
  Columns(const BlockRange& range, Storage storage);

  const BlockRange& range() const { return range_; }
  std::uint64_t first_row() const { return range_.first_row; }
  std::uint64_t first_column() const { return range_.first_column; }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(range_.end_row - range_.first_row); }
  std::uint32_t columns() const { return static_cast<std::uint32_t>(range_.end_column - range_.first_column); }
  std::uint64_t entries() const { return entries_; }  // values that are stored
  bool is_dense() const { return storage_.index() >= 2; }
  bool is_single() const { return storage_.index() % 2 == 0; }

  // For loops over the arrays themselves: use(SparseColumn<T>) or use(DenseColumn<T>), T float or double.
  template <typename Use>
  [[gnu::always_inline]] auto of(std::uint32_t column, Use use) const {
    if (const auto* block = std::get_if<0>(&storage_)) return use(block->column(column));
    if (const auto* block = std::get_if<1>(&storage_)) return use(block->column(column));
    if (const auto* block = std::get_if<2>(&storage_)) return use(block->column(column));
    return use(std::get_if<3>(&storage_)->column(column));
  }

  // A column of the matrix (not numbered from the block's first) where it is, if it is stored so.
  std::optional<SparseColumn<double>> seen_column(std::uint64_t column) const {
    if (const auto* block = std::get_if<SparseBlock<double>>(&storage_)) return block->column(column - first_column());
    return std::nullopt;
  }

  // x'g, which is also the sum of g-weighted values.
  double dot(std::uint32_t column, std::span<const double> g) const {
    return of(column, [&](const auto& x) { return dot_of(x, g.data()); });
  }
  // X'g: out[c] = dot(c, g).
  void dot_all(std::span<const double> g, std::span<double> out) const;
  // r += a x
  void axpy(std::uint32_t column, double a, std::span<double> r) const {
    of(column, [&](const auto& x) { axpy_of(x, a, r.data()); });
  }
  // The sum of w x^2.
  double weighted_norm2(std::uint32_t column, std::span<const double> w) const {
    return of(column, [&](const auto& x) { return weighted_norm2_of(x, w.data()); });
  }

  void fields(Archive& list);  // for data by shard

  // Values of the column that are stored: of a dense block, all rows.
  std::size_t entries(std::uint32_t column) const {
    return of(column, [](const auto& x) { return size_of(x); });
  }
  // Calls take(row, value) for each of them that is not 0, rows ascending.
  template <typename Take>
  void each(std::uint32_t column, Take take) const {
    of(column, [&](const auto& x) { each_of(x, take); });
  }

 private:
  template <typename T>
  static std::size_t size_of(const SparseColumn<T>& x) {
    return x.entries;
  }
  template <typename T>
  static std::size_t size_of(const DenseColumn<T>& x) {
    return x.rows;
  }
  template <typename T, typename Take>
  static void each_of(const SparseColumn<T>& x, Take& take) {
    for (std::size_t k = 0; k < x.entries; ++k) take(x.rows[k], static_cast<double>(x.values[k]));
  }
  template <typename T, typename Take>
  static void each_of(const DenseColumn<T>& x, Take& take) {
    for (std::size_t i = 0; i < x.rows; ++i)
      if (x.values[i] != 0) take(static_cast<std::uint32_t>(i), static_cast<double>(x.values[i]));
  }

  BlockRange range_;
  Storage storage_;
  std::uint64_t entries_ = 0;
};

}  // namespace rota::lasso
