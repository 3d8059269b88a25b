// rota/io/matrix_market.h -- the exchange format of the National Institute of Standards and Technology.
//
//   %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric
//   % comments
//   rows columns entries       (coordinate)  or  rows columns  (array)
//   row column value           one line for each entry, numbered from 1; pattern: without the value, which is 1
//   value                      array: all values, column by column
//
// Blank lines are skipped, as the format allows.  A symmetric coordinate file has the entries on and below the
// diagonal: each of the latter is also the entry on the other side.  Other symmetries, and complex numbers, are
// refused.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "rota/io/lines.h"

namespace rota::io {

// From 0.
struct MatrixEntry {
  std::uint32_t row, column;
  double value;
};
using TakeEntries = std::function<void(std::span<const MatrixEntry>)>;

enum class MatrixField { real, integer, pattern };

struct MatrixMarketSize {
  MatrixField field = MatrixField::real;
  bool array = false, symmetric = false;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t entries = 0;  // in the file; those of an array are all its values
  std::uint64_t line = 0;     // the line with the size
};

// The entries of one file, in its order: zeros too, and repeated ones.  Numbers are as parse_number() reads them
// (decimal.h).  That the rows are in proportion to the entries is known only when the file has been read to its end.
class MatrixMarketReader {
 public:
  // `lines` is at the start of the file.  Throws DataError.
  explicit MatrixMarketReader(Lines& lines);

  const MatrixMarketSize& size() const { return size_; }
  // False at the end.  Throws DataError.
  bool next(MatrixEntry& entry);

 private:
  Lines& lines_;
  MatrixMarketSize size_;
  std::uint64_t seen_ = 0;  // entries in the file so far
  std::optional<MatrixEntry> other_side_;
};

// Reads one file, passing all its entries to `take` in batches, and returns its size with the number of these entries.
MatrixMarketSize read_matrix_market(Lines& lines, const TakeEntries& take);

// The line with the second occurrence of this entry; 0 if it occurs once.
std::uint64_t line_of_repeated(const std::string& path, std::uint32_t row, std::uint32_t column);

}  // namespace rota::io
