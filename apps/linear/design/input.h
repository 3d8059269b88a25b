// apps/linear/design/input.h -- reads the files of a design matrix, keeping what the hosted shards need.
//
// Shards are contiguous ranges of columns or of rows.  Where they begin follows from the data and from the number of
// shards, so every process finds the same ranges, whatever it hosts.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/linear/design/build.h"
#include "rota/types.h"

namespace rota::linear {

// Of the whole matrix.
struct DesignShape {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t entries = 0;  // as the input has them, zeros too
};

// A number of the response whose square cannot be summed up, and what to say of it.
inline bool is_too_large(double response) {
  return std::abs(response) > kMostSquared;
}
std::string too_large(double response);

// What one process has read.
struct DesignInput {
  DesignShape shape;
  std::vector<std::uint64_t> cuts;  // the first column (row) of every shard, and behind the last the number of them
  std::vector<DesignPiece> pieces;  // by rows; all have the same buckets
  EntryOrder order = EntryOrder::by_rows;
  io::DistinctLabels labels;  // of the whole matrix, if the input has them
};

// All of these use the threads of the task arena that they are called in; what they return does not depend on their
// number.  They throw NoInput, or DataError for what is wrong: that which comes first in the files.

// LIBSVM text, and the cuts by a sample of it (sample_cuts.h).  Plain files are read by several threads, and of each
// line only what the hosted columns need.  Of compressed files, every entry is held for a while: 16 bytes each.
DesignInput read_libsvm_columns(const std::vector<std::string>& paths, std::uint32_t shards,
                                std::span<const ShardId> hosted, std::uint64_t index_from);
// The same by rows.  Of plain files, the others' rows are only counted.
DesignInput read_libsvm_rows(const std::vector<std::string>& paths, std::uint32_t shards,
                             std::span<const ShardId> hosted, std::uint64_t index_from);

// MatrixMarket files of equally many columns.  Every entry is held for a while.  Leaves the cuts to one of the
// functions behind it, for `sample` has the columns of evenly spaced entries.
struct MarketInput {
  DesignInput input;
  std::vector<std::uint32_t> sample;
};
MarketInput read_matrix_market(const std::vector<std::string>& paths);

}  // namespace rota::linear
