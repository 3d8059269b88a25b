// apps/linear/design/build.h -- makes a block of the design matrix from the entries that were read.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/linear/design/columns.h"
#include "apps/linear/design/entries.h"

namespace rota::linear {

// A block is stored dense if it has at least this share of values that are not 0: without their row numbers they take
// no more memory, and sums over them can be vectorised.
inline constexpr double kDenseShare = 0.8;

// Rows [first_row, first_row + rows) of the matrix, as they were read.
struct DesignPiece {
  std::uint64_t first_row = 0, rows = 0;
  DesignEntries entries;       // the wanted ones
  std::vector<double> labels;  // of all its rows, if the input has them
};

// Two entries have the same row and column (of the matrix, from 0).
struct RepeatedEntry : std::runtime_error {
  RepeatedEntry(std::uint64_t row_number, std::uint64_t column_number);
  std::uint64_t row, column;
};
// A value is too large to be squared and summed, or for single precision; or, if it is 0, all of a column's values are
// too small for single precision.  Column of the matrix, from 0.
struct UnheldValue : std::runtime_error {
  UnheldValue(double value, std::uint64_t column_number, bool single);
  std::uint64_t column;
};

// How entries were read: by ascending rows, each once; or in any order, with possible repetitions.
enum class EntryOrder { by_rows, any };

// Ends adding to the pieces, and sets all their buckets to the same width, as build_columns() requires.  REQUIRES: the
// same first_column().
void align_buckets(std::span<DesignPiece> pieces);

// Which entries of the pieces are needed after a block is built.
enum class Keep {
  all,
  later,    // those in columns after the block's
  nothing,  // no entry
};

// The entries of `pieces`, which are in the order of their rows, that lie in `range`.  The pieces hold all entries of
// `range`; the result does not depend on how they were divided, nor on the number of threads.  Memory of entries that
// are not to be kept is freed on the way.  Uses the threads of the task arena that it is called in.  Throws
// RepeatedEntry (order any), or UnheldValue; the pieces must not be used afterwards.
Columns build_columns(std::span<const DesignPiece> pieces, const BlockRange& range, Precision precision,
                      EntryOrder order, Keep keep);

}  // namespace rota::linear
