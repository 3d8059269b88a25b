// apps/linear/design/entries.h -- entries of the design matrix as they are read, sorted roughly by column.
#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

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
    std::vector<DesignEntry> entries;

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

}  // namespace rota::linear
