// rota/io/sparse_matrix.h -- the rows of a sparse matrix in memory, one after the other.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rota::io {

// The entries of a row by ascending column, from 0.
struct SparseRow {
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
};

struct SparseMatrix {
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::uint64_t> begins = {0};  // the entries of row r are [begins[r], begins[r + 1])
  std::vector<std::uint32_t> column;        // of each entry
  std::vector<double> values;

  SparseRow operator[](std::uint64_t r) const {
    const std::size_t begin = begins[r], count = begins[r + 1] - begin;
    return {std::span(column).subspan(begin, count), std::span(values).subspan(begin, count)};
  }
  // Of a matrix that is built row by row, `columns` is the number up to the last entry.
  void add(const SparseRow& row) {
    column.insert(column.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    begins.push_back(column.size());
    ++rows;
    if (!row.columns.empty()) columns = std::max(columns, row.columns.back() + std::uint64_t{1});
  }
  void shrink_to_fit() {
    begins.shrink_to_fit();
    column.shrink_to_fit();
    values.shrink_to_fit();
  }
  // Whether the vectors fit together.
  bool has_rows() const {
    return rows + 1 == begins.size() && begins.front() == 0 && begins.back() == column.size() &&
           values.size() == column.size() && std::ranges::is_sorted(begins);
  }
  // REQUIRES: has_rows().
  bool ascends(std::uint64_t r) const {
    const std::span<const std::uint32_t> its = (*this)[r].columns;
    return its.empty() ||
           (its.back() < columns && std::ranges::adjacent_find(its, std::greater_equal<>()) == its.end());
  }
  void fields(auto& list) {  // rota/fields.h
    list(rows, columns, begins, column, values);
    bool valid = has_rows();
    for (std::uint64_t r = 0; valid && r < rows; ++r) valid = ascends(r);
    list.check(valid);
  }
};

}  // namespace rota::io
