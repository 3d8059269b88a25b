// apps/lasso/by_rows/column_interference.h -- coefficients interfere if their columns correlate: the dependency test of
// the STRADS paper (section 3.3).
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "apps/lasso/design/columns.h"
#include "rota/schedules/interference.h"

namespace rota::lasso {

// A matrix as blocks of its rows, from the first row to the last one.
class RowBlocks {
 public:
  // REQUIRES: at least one block; all have the same columns.
  explicit RowBlocks(std::vector<std::shared_ptr<const Columns>> blocks) : blocks_(std::move(blocks)) {}

  std::uint64_t rows() const { return blocks_.back()->range().end_row; }
  std::uint32_t columns() const { return blocks_.back()->columns(); }
  // Values that are not 0.
  std::uint64_t entries() const;
  // Calls take(row, value) for those of a column, rows ascending.
  template <typename Take>
  void each(std::uint32_t column, const Take& take) const {
    for (const auto& block : blocks_) {
      const auto first = static_cast<std::uint32_t>(block->first_row());
      block->each(column, [&](std::uint32_t row, double x) { take(first + row, x); });
    }
  }

 private:
  std::vector<std::shared_ptr<const Columns>> blocks_;
};

// Two columns interfere if |x_j' x_k| > least |x_j| |x_k|, of the columns about their means if `centred`.  If columns
// have more than a thousand entries on average, this is estimated from a sample of the rows that leaves a thousand.
//
// A sparse matrix is shared with those who hold its blocks, and takes 20 bytes a column and 24 a row more; a sample of
// less than a quarter of the rows is copied in place of that, 8 bytes an entry.  It compares a column through the rows
// that it has entries in, and columns without a common row do not interfere.  Of a dense matrix (a quarter of the
// places filled) the sample is copied, 4 bytes a place; it remembers the results of pairs if there are at most 2^28
// pairs, two bits each.
std::unique_ptr<Interference> column_interference(RowBlocks matrix, double least, bool centred);

}  // namespace rota::lasso
