// core/rounds/sparse_rows.h -- parts of an open round: some rows of a table, and how they are summed.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/key_runs.h"
#include "core/base/tree.h"

namespace rota {

struct SparseRows {
  std::vector<KeyRun> runs;     // ascending and apart
  std::vector<double> numbers;  // row after row
  std::uint32_t width = 0;      // of a row; of no meaning without rows
  friend bool operator==(const SparseRows&, const SparseRows&) = default;
};

// Of all rows in either; where a row is in both, the left one's numbers plus the right one's.  So a sum over the tree
// depends on which shards have the row, and not on who hosts them.
SparseRows sum_of(SparseRows left, SparseRows right);
inline bool can_add(const SparseRows& left, const SparseRows& right) {
  return left.width == right.width || left.runs.empty() || right.runs.empty();
}

// The rows of a range, and where their numbers are: `first` counts the numbers before them.
struct RowsOfRange {
  std::vector<KeyRun> runs;
  std::size_t first = 0, count = 0;  // of numbers
};
RowsOfRange rows_of_range(const SparseRows& rows, const KeyRange& range);

using SparseTreeSum = TreeSumOf<SparseRows>;

}  // namespace rota
