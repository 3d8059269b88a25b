// apps/linear/row_files.h -- LIBSVM files row by row, each with its label.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/libsvm.h"

namespace rota::linear {

struct LabelledRow {
  std::uint64_t number;  // from 0, over all files
  double label;
  std::span<const std::uint32_t> columns;  // from 0, ascending
  std::span<const double> values;          // none is 0
};

// The files are one matrix: the rows of each follow those of the file before.
class RowFiles {
 public:
  // The paths must outlive it.
  explicit RowFiles(const std::vector<std::string>& paths) : paths_(paths) {}

  // Calls take(row) for all rows in turn.  Throws NoInput, or DataError with file and line.
  void each(const std::function<void(const LabelledRow&)>& take);
  // For a row that take() cannot take: throws DataError with its file and line.
  [[noreturn]] void fail(const std::string& what) const;

  std::uint64_t rows() const { return rows_; }        // of what was read
  std::uint64_t columns() const { return columns_; }  // likewise, up to the largest index

 private:
  void read(const std::string& path, const std::function<void(const LabelledRow&)>& take);

  const std::vector<std::string>& paths_;
  io::LibsvmRows parsed_;
  std::uint64_t rows_ = 0, columns_ = 0;
  // Of the row at hand.
  const std::string* path_ = nullptr;
  std::string_view block_;
  std::uint64_t lines_before_ = 0;  // the block
  std::size_t begin_ = 0;           // in the block
};

}  // namespace rota::linear
