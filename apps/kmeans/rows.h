// apps/kmeans/rows.h -- the data: rows of a sparse matrix.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rota/io/row_reader.h"
#include "rota/types.h"

namespace rota::kmeans {

// Squares of larger values, and sums of them, might overflow; and if no value is above the other limit, the squares of
// differences lose their digits or underflow.
inline constexpr double kLargest = 1e140, kLeastLargest = 1e-140;

// The entries of one row that are not 0, by ascending column; columns count from 0.
struct Row {
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
};

// |x|^2
inline double square_of(const Row& row) {
  double sum = 0;
  for (const double x : row.values) sum += x * x;
  return sum;
}

// Rows one after the other.
class Rows {
 public:
  Rows() = default;
  // Entries of row r are [ends[r - 1], ends[r]), from 0 for the first row.
  Rows(std::vector<std::uint32_t> columns, std::vector<double> values, std::vector<std::size_t> ends)
      : columns_(std::move(columns)), values_(std::move(values)), ends_(std::move(ends)) {
    squares_.reserve(size());
    for (std::size_t r = 0; r < size(); ++r) squares_.push_back(square_of((*this)[r]));
  }

  std::size_t size() const { return ends_.size(); }
  Row operator[](std::size_t r) const {
    const std::size_t begin = r == 0 ? 0 : ends_[r - 1], count = ends_[r] - begin;
    return {std::span(columns_).subspan(begin, count), std::span(values_).subspan(begin, count)};
  }
  double square(std::size_t r) const { return squares_[r]; }  // |x|^2
  // The entries of all rows, one row after the other.
  Row all() const { return {columns_, values_}; }
  void add(const Row& row) {
    columns_.insert(columns_.end(), row.columns.begin(), row.columns.end());
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    ends_.push_back(columns_.size());
    squares_.push_back(square_of(row));
  }
  void shrink_to_fit() {
    columns_.shrink_to_fit();
    values_.shrink_to_fit();
    ends_.shrink_to_fit();
    squares_.shrink_to_fit();
  }

 private:
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;
  std::vector<double> squares_;
};

// Of the whole data.
struct DataSize {
  std::uint64_t rows = 0, columns = 0, entries = 0;
  std::vector<std::string> names = {};  // of the columns, if the first file has them
  std::string widest_file = {};         // of the row with the largest index, and its line
  std::uint64_t widest_line = 0;
};

// The largest absolute value of a file, and its first occurrence.
struct LargestValue {
  double value = 0;
  std::string file;
  std::uint64_t line = 0;
};

// Calls take(number, row) for all rows of the files in turn; numbers count from 0 over all files, labels are ignored.
// Throws NoInput, or DataError with file and line.
DataSize each_row(const std::vector<std::string>& files, const io::RowForm& form,
                  const std::function<void(std::uint64_t number, const Row&)>& take, LargestValue* largest = nullptr);

struct RowShards {
  DataSize size;
  std::vector<Rows> hosted;  // in the order asked for
};

// Row i is row i / S of shard i mod S: a rule that needs only one pass over the files, compressed or not.  Throws like
// each_row(), and DataError if there is no row or no column, no value above 1e-140, or a number of columns out of
// proportion to the entries: the centres have all columns.
RowShards read_shards(const std::vector<std::string>& files, std::uint32_t shards, std::span<const ShardId> hosted,
                      const io::RowForm& form = {});

}  // namespace rota::kmeans
