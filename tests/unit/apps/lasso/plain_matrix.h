// tests/unit/apps/lasso/plain_matrix.h -- simple matrices for comparison.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "apps/lasso/design/columns.h"

namespace rota::tests {

using namespace lasso;

struct PlainEntry {
  std::uint32_t row;
  double value;
  bool operator==(const PlainEntry&) const = default;
};
// Of each column its values that are not 0, by rows.
using PlainColumns = std::vector<std::vector<PlainEntry>>;

struct PlainMatrix {
  std::uint32_t rows = 0;
  PlainColumns columns;
};

// About `density` of the values are not 0; they are small multiples of 1/8, or any doubles.
inline PlainMatrix random_matrix(std::uint64_t seed, std::uint32_t rows, std::uint32_t columns, double density,
                                 bool single) {
  std::mt19937_64 random(seed);
  PlainMatrix matrix{rows, PlainColumns(columns)};
  for (auto& column : matrix.columns)
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (static_cast<double>(random() % 1'000'000) >= density * 1e6) continue;
      const double eighths = static_cast<double>(random() % 4001) / 8 - 250.0625;
      column.push_back({row, single ? eighths : eighths + static_cast<double>(random()) * 0x1p-70});
    }
  return matrix;
}

inline PlainColumns plain(const Columns& block) {
  PlainColumns columns(block.columns());
  for (std::uint32_t c = 0; c < block.columns(); ++c)
    block.each(c, [&](std::uint32_t row, double value) { columns[c].push_back({row, value}); });
  return columns;
}

// The part of the matrix in the range.
inline PlainColumns part_of(const PlainMatrix& matrix, const BlockRange& range) {
  PlainColumns columns;
  for (std::uint64_t c = range.first_column; c < range.end_column; ++c) {
    columns.emplace_back();
    for (const PlainEntry& entry : matrix.columns[c])
      if (entry.row >= range.first_row && entry.row < range.end_row)
        columns.back().push_back({static_cast<std::uint32_t>(entry.row - range.first_row), entry.value});
  }
  return columns;
}

// The whole matrix as it is after reading: dense if at least 0.8 of it is filled.  Its rows follow `rows_before`
// others.
template <typename T>
Columns columns_as(const PlainMatrix& matrix, std::uint64_t rows_before = 0) {
  const BlockRange whole{rows_before, rows_before + matrix.rows, 0, matrix.columns.size()};
  SparseBlock<T> sparse;
  DenseBlock<T> dense{matrix.rows, LargeVector<T>(matrix.rows * matrix.columns.size(), T{0})};
  sparse.starts.push_back(0);
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    for (const PlainEntry& entry : matrix.columns[c]) {
      sparse.rows.push_back(entry.row);
      sparse.values.push_back(static_cast<T>(entry.value));
      dense.values[c * matrix.rows + entry.row] = static_cast<T>(entry.value);
    }
    sparse.starts.push_back(sparse.rows.size());
  }
  if (!sparse.rows.empty() && 10 * sparse.rows.size() >= 8 * dense.values.size())
    return Columns(whole, std::move(dense));
  return Columns(whole, std::move(sparse));
}
inline Columns columns_of(const PlainMatrix& matrix) {
  return columns_as<double>(matrix);
}

// The matrix as LIBSVM text, with these labels.
inline std::string libsvm_text(const PlainMatrix& matrix, const std::vector<double>& labels) {
  std::vector<std::string> rows(matrix.rows);
  char text[64];
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    std::snprintf(text, sizeof text, "%.17g", labels[row]);
    rows[row] = text;
  }
  for (std::size_t c = 0; c < matrix.columns.size(); ++c)
    for (const PlainEntry& entry : matrix.columns[c]) {
      std::snprintf(text, sizeof text, " %zu:%.17g", c + 1, entry.value);
      rows[entry.row] += text;
    }
  std::string all;
  for (const std::string& row : rows) all += row + "\n";
  return all;
}

}  // namespace rota::tests
