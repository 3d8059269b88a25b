// rota/io/matrix_market.h -- the exchange format of the National Institute of Standards and Technology.
//
//   %%MatrixMarket matrix coordinate|array real|integer|pattern general
//   % comments
//   rows columns entries       (coordinate)  or  rows columns  (array)
//   row column value           one line for each entry, numbered from 1; pattern: without the value, which is 1
//   value                      array: all values, column by column
//
// Blank lines are skipped, as the format allows.  Complex numbers, and symmetric matrices of which only one half is
// stored, are refused.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "rota/io/lines.h"

namespace rota::io {

// From 0.
struct MatrixEntry {
  std::uint32_t row, column;
  double value;
};
using TakeEntries = std::function<void(std::span<const MatrixEntry>)>;

struct MatrixMarketSize {
  bool array = false;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t entries = 0;  // those of an array are all its values
  std::uint64_t line = 0;     // the line with the size
};

// Reads one file, passing all its entries to `take` in batches, in the order of the file: zeros too, and repeated ones.
// Numbers are as parse_number() reads them (decimal.h).  Throws DataError.  That the rows are in proportion to the
// entries is known only when the file has been read to its end.
MatrixMarketSize read_matrix_market(Lines& lines, const TakeEntries& take);

// The line with the second occurrence of this entry; 0 if it occurs once.
std::uint64_t line_of_repeated(const std::string& path, std::uint32_t row, std::uint32_t column);

}  // namespace rota::io
