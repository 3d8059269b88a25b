// apps/lasso/design/input.h -- reads the files of a design matrix, keeping what the hosted shards need.
//
// Shards are contiguous ranges of columns or of rows.  The ranges depend only on the data and the number of shards, so
// every process finds the same ones.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lasso/design/build.h"
#include "rota/io/row_reader.h"
#include "rota/types.h"

namespace rota::linear {

// Of the whole matrix.
struct DesignShape {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t entries = 0;  // as in the input, including zeros
};

// Whether the square of a response cannot be summed, and the message for that.
inline bool is_too_large(double response) {
  return std::abs(response) > kMostSquared;
}
std::string too_large(double response);

// The input of one process.
struct DesignInput {
  DesignShape shape;
  std::vector<std::string> names;   // of the columns, if the input has them
  std::vector<std::uint64_t> cuts;  // the first column (row) of every shard, and at the end their number
  std::vector<DesignPiece> pieces;  // by rows; all have the same buckets
  EntryOrder order = EntryOrder::by_rows;
  io::DistinctLabels labels;  // of the whole matrix, if the input has them
};

// All of these use the threads of the task arena that they are called in; the results do not depend on the number of
// threads.  They throw NoInput, or DataError for the first error in the files.

// LIBSVM text, and the cuts by a sample of it (sample_cuts.h).  Plain files are read by several threads, and of each
// line only what the hosted columns need.  For compressed files, every entry is in memory for a while: 16 bytes each.
DesignInput read_libsvm_columns(const std::vector<std::string>& paths, std::uint32_t shards,
                                std::span<const ShardId> hosted, std::uint64_t index_from);
// The same by rows.  In plain files, rows of other shards are only counted.
DesignInput read_libsvm_rows(const std::vector<std::string>& paths, std::uint32_t shards,
                             std::span<const ShardId> hosted, std::uint64_t index_from);

// Other formats.  Every entry is in memory for a while.  Leaves the cuts to one of the functions of sample_cuts.h and
// rota/shards.h; `sample` has the columns of evenly spaced entries.
struct SampledInput {
  DesignInput input;
  std::vector<std::uint32_t> sample;
};
// MatrixMarket files with the same number of columns; one piece a file.
SampledInput read_matrix_market(const std::vector<std::string>& paths);
// Files of any format, with the labels of `form`'s target.
SampledInput read_any_rows(const std::vector<std::string>& paths, const io::RowForm& form);

}  // namespace rota::linear
