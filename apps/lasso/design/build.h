// apps/lasso/design/build.h -- makes a block of the design matrix from the entries that were read.
#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/lasso/design/columns.h"
#include "apps/lasso/design/large_vector.h"
#include "rota/io/libsvm.h"

namespace rota::linear {

struct DesignEntry {
  double value;
  std::uint32_t row, column;  // from 0; rows from the beginning of this piece of the matrix
};

// The entries of one piece of the matrix, in up to 256 buckets of neighbouring columns, so that a later exact sort
// works on parts that fit the cache.  All buckets are 2^shift columns wide, as narrow as the largest column allows.
// Within a bucket, entries of a column stay in the order in which they were added.
class DesignEntries {
 public:
  static constexpr std::size_t kBuckets = 256;

  // Entries of columns below `first_column` must not be added.
  explicit DesignEntries(std::uint64_t first_column = 0) : first_column_(first_column) {}

  void add(std::uint32_t row, std::uint32_t column, double value) {
    open_.push_back({value, row, column});
    if (open_.size() == kChunk) close_chunk();
  }
  // Row r of `rows` is row first_row + r here, if that is in [keep_first, keep_end); others are left out.
  void add_rows(const io::LibsvmRows& rows, std::uint64_t first_row, std::uint64_t keep_first, std::uint64_t keep_end);
  // To be called after the last entry; frees what is needed only for adding.
  void finish();

  // Makes buckets 2^shift columns wide; REQUIRES: finish(), shift >= shift().
  void widen(std::uint32_t shift) { shift_ = shift; }
  std::uint32_t shift() const { return shift_; }
  std::uint64_t first_column() const { return first_column_; }

  // Calls take(entries) for the parts of a bucket, in order.
  template <typename Take>
  void each_run(std::size_t bucket, Take take) const {
    for (const Chunk& chunk : chunks_) {
      const auto [begin, end] = chunk.buckets_of(bucket, bucket + 1, shift_);
      if (chunk.begin[begin] != chunk.begin[end]) take(chunk.entries_of(begin, end));
    }
  }
  // All values of the bucket are exactly representable in single precision.
  bool is_single(std::size_t bucket) const;
  // Returns the memory of buckets [first, end) to the operating system: their entries must not be read again.
  void release(std::size_t first, std::size_t end) const;

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 17;  // entries: 2 MiB, which are sorted in the cache

  // Sorted by buckets that are as narrow as its own largest column allows.
  struct Chunk {
    std::uint32_t shift = 0;
    std::array<std::uint32_t, kBuckets + 1> begin{};  // of each bucket, and the last one's end
    std::bitset<kBuckets> needs_double;
    LargeVector<DesignEntry> entries;

    struct Buckets {
      std::size_t begin, end;
    };
    // Those that make up buckets [first, last) of the width 2^wider.
    Buckets buckets_of(std::size_t first, std::size_t last, std::uint32_t wider) const {
      return {std::min(first << (wider - shift), kBuckets), std::min(last << (wider - shift), kBuckets)};
    }
    std::span<const DesignEntry> entries_of(std::size_t first, std::size_t end) const {
      return {entries.data() + begin[first], entries.data() + begin[end]};
    }
  };
  void close_chunk();

  std::uint64_t first_column_;
  std::uint32_t shift_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<DesignEntry> open_;  // in the order of their addition
};

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
