// apps/linear/design/entries.h -- entries of the design matrix as they are read, sorted roughly by column.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "apps/linear/design/array.h"
#include "rota/io/libsvm.h"

namespace rota::linear {

struct DesignEntry {
  double value;
  std::uint32_t row, column;  // from 0; rows from the beginning of this piece of the matrix
};

// The memory for the entries of all pieces of a matrix, in groups of neighbouring buckets: a group can be freed as soon
// as its entries are sorted, which makes room for the sorted ones.  Threads may call it at the same time.
class EntryBlocks {
 public:
  static constexpr std::size_t kGroups = 32;
  static constexpr std::size_t kBlockBytes = 4096;
  static constexpr std::size_t kBlockEntries = kBlockBytes / sizeof(DesignEntry);

  // A new block, aligned to its size.
  DesignEntry* take(std::size_t group);
  // From now on blocks may be used in groups other than those that they were allocated for.
  void mix() { mixed_ = true; }
  // Frees the group's blocks, unless some were used for other groups.
  void release(std::size_t group);

 private:
  struct Group {
    std::mutex mutex;
    std::vector<DesignMemory> memory;
    std::size_t bytes = 0;  // of the last of them
    std::size_t left = 0;   // of these, not yet used
  };
  std::array<Group, kGroups> groups_;
  std::atomic<bool> mixed_ = false;
};

// The entries of one piece of the matrix, in up to 256 buckets of neighbouring columns, so that a later exact sort
// works on parts that fit the cache.  All buckets are 2^shift columns wide, as narrow as the largest column allows.
// Within a bucket, entries of a column stay in the order in which they were added.
class DesignEntries {
 public:
  static constexpr std::size_t kBuckets = 256;
  static constexpr std::size_t group_of(std::size_t bucket) { return bucket / (kBuckets / EntryBlocks::kGroups); }

  // Entries of columns below `first_column` must not be added.
  explicit DesignEntries(std::shared_ptr<EntryBlocks> blocks = std::make_shared<EntryBlocks>(),
                         std::uint64_t first_column = 0)
      : blocks_(std::move(blocks)), first_column_(first_column) {}
  DesignEntries(DesignEntries&&) = default;
  DesignEntries& operator=(DesignEntries&&) = default;

  void add(std::uint32_t row, std::uint32_t column, double value);
  // Row r of `rows` is row first_row + r here, if that is in [keep_first, keep_end); others are left out.
  void add_rows(const io::LibsvmRows& rows, std::uint64_t first_row, std::uint64_t keep_first, std::uint64_t keep_end);

  // Makes the buckets wide enough for columns below `end_column`.  Best called before there are entries: memory can
  // then be freed early (EntryBlocks).
  void expect(std::uint64_t end_column);
  // Makes buckets 2^shift columns wide; REQUIRES: shift >= shift().
  void widen(std::uint32_t shift);
  std::uint32_t shift() const { return shift_; }
  std::uint64_t first_column() const { return first_column_; }

  // A bucket's entries are those of its runs, one after the other.
  using Run = std::span<const DesignEntry>;
  // Calls take(run) for every run of a bucket.
  template <typename Take>
  void each_run(std::size_t bucket, Take take) const {
    for (const Run& run : buckets_[bucket].done) take(run);
    const Bucket& last = buckets_[bucket];
    if (last.next != last.begin) take(Run(last.begin, last.next));
  }
  // All values of the bucket are exactly representable in single precision.
  bool is_single(std::size_t bucket) const { return !buckets_[bucket].needs_double; }
  // The memory of its entries.
  EntryBlocks& blocks() const { return *blocks_; }

 private:
  struct Bucket {
    DesignEntry* next = nullptr;   // the place of the next entry; at a block's end, or null, there is no room
    DesignEntry* begin = nullptr;  // of the open block
    std::vector<Run> done;
    bool needs_double = false;
  };

  void put(std::uint32_t row, std::uint32_t column, double value);
  void open_block(std::size_t bucket);
  static void close_block(Bucket& bucket);

  std::shared_ptr<EntryBlocks> blocks_;
  std::uint64_t first_column_;
  std::uint32_t shift_ = 0;
  std::array<Bucket, kBuckets> buckets_;
};

}  // namespace rota::linear
