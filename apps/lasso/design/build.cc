// apps/lasso/design/build.cc -- a counting sort by column, bucket by bucket: the result of each bucket fits the cache,
// and buckets are sorted in parallel.
#include "apps/lasso/design/build.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/lasso/design/parallel.h"
#include "rota/io/number_text.h"

namespace rota::linear {
namespace {

bool is_single(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}

// The part of the block in one bucket.
struct BucketPart {
  std::uint64_t first_column = 0, end_column = 0;  // of the matrix
  std::uint64_t entries = 0;
  std::uint64_t start = 0;  // their first place in the block
  bool single = true;       // the entries are exact in single precision
  std::optional<RepeatedEntry> repeated;
  std::optional<UnheldValue> unheld;
};

// The memory of this many neighbouring buckets is released together: a part of a piece's bucket is less than a page.
constexpr std::size_t kGroup = 8;

class Builder {
 public:
  Builder(std::span<const DesignPiece> pieces, const BlockRange& range) : all_(pieces), range_(range) {
    for (const DesignPiece& piece : pieces)
      if (piece.first_row < range.end_row && piece.first_row + piece.rows > range.first_row) pieces_.push_back(&piece);
  }

  Columns build(Precision precision, EntryOrder order, Keep keep) {
    keep_ = keep;
    if (!pieces_.empty()) survey();
    bool single = precision != Precision::double_precision;
    if (precision == Precision::automatic)
      for (const BucketPart& part : parts_) single = single && part.single;
    return single ? build_as<float>(order) : build_as<double>(order);
  }

 private:
  // Calls take(row of the block, entry) for the bucket's entries in the block, in the order of the pieces.
  template <typename Take>
  void each_entry(std::size_t bucket, Take take) const {
    const std::uint64_t rows = range_.end_row - range_.first_row;
    const std::uint64_t columns = range_.end_column - range_.first_column;
    for (const DesignPiece* piece : pieces_) {
      const std::uint64_t offset = piece->first_row - range_.first_row;  // may wrap; the sums below wrap back
      piece->entries.each_run(bucket, [&](std::span<const DesignEntry> run) {
        for (const DesignEntry& entry : run)
          if (offset + entry.row < rows && entry.column - range_.first_column < columns)
            take(static_cast<std::uint32_t>(offset + entry.row), entry);
      });
    }
  }

  void survey() {
    parts_.resize(DesignEntries::kBuckets);
    run_in_parallel(parts_.size(), [&](std::size_t bucket) { survey(bucket); });
    for (BucketPart& part : parts_) {
      part.start = entries_;
      entries_ += part.entries;
    }
  }

  void survey(std::size_t bucket) {
    BucketPart& part = parts_[bucket];
    const std::uint64_t end = end_of(bucket), first = end - (std::uint64_t{1} << pieces_.front()->entries.shift());
    part.first_column = std::clamp(first, range_.first_column, range_.end_column);
    part.end_column = std::clamp(end, range_.first_column, range_.end_column);
    if (part.first_column == part.end_column) return;
    const bool whole =
        first >= range_.first_column && end <= range_.end_column &&
        std::ranges::all_of(pieces_, [&](const DesignPiece* piece) {
          return piece->first_row >= range_.first_row && piece->first_row + piece->rows <= range_.end_row;
        });
    if (!whole) {
      each_entry(bucket, [&](std::uint32_t, const DesignEntry& entry) {
        ++part.entries;
        part.single = part.single && is_single(entry.value);
      });
      return;
    }
    for (const DesignPiece* piece : pieces_) {
      part.single = part.single && piece->entries.is_single(bucket);
      piece->entries.each_run(bucket, [&](std::span<const DesignEntry> run) { part.entries += run.size(); });
    }
  }

  std::uint64_t end_of(std::size_t bucket) const {
    const DesignEntries& any = pieces_.front()->entries;
    return any.first_column() + ((std::uint64_t{bucket} + 1) << any.shift());
  }

  // Releases the memory of buckets that are not needed again.
  void done_with(std::size_t bucket) {
    const std::size_t first = bucket / kGroup * kGroup, end = first + kGroup;
    if (++sorted_[bucket / kGroup] < kGroup || keep_ == Keep::all) return;
    if (keep_ == Keep::later && end_of(end - 1) > range_.end_column) return;
    for (const DesignPiece& piece : all_) piece.entries.release(first, end);
  }

  template <typename T>
  Columns build_as(EntryOrder order) {
    const std::uint64_t columns = range_.end_column - range_.first_column;
    SparseBlock<T> block{LargeVector<std::uint64_t>(columns + 1), LargeVector<std::uint32_t>(entries_),
                         LargeVector<T>(entries_)};
    run_in_parallel(parts_.size(), [&](std::size_t bucket) {
      if (parts_[bucket].first_column != parts_[bucket].end_column) sort(bucket, order, block);
      done_with(bucket);
    });
    for (const BucketPart& part : parts_) {
      if (part.repeated) throw RepeatedEntry(*part.repeated);
      if (part.unheld) throw UnheldValue(*part.unheld);
    }
    // Columns after the last bucket have no entries.
    const std::uint64_t covered = parts_.empty() ? range_.first_column : parts_.back().end_column;
    for (std::uint64_t c = covered - range_.first_column; c <= columns; ++c) block.starts[c] = entries_;
    const std::uint64_t places = (range_.end_row - range_.first_row) * columns;
    if (entries_ > 0 && static_cast<double>(entries_) >= kDenseShare * static_cast<double>(places))
      return Columns(range_, dense(block));
    return Columns(range_, std::move(block));
  }

  template <typename T>
  void sort(std::size_t bucket, EntryOrder order, SparseBlock<T>& block) {
    BucketPart& part = parts_[bucket];
    const std::uint64_t width = part.end_column - part.first_column;
    std::uint64_t* const starts = block.starts.data() + (part.first_column - range_.first_column);
    std::vector<std::uint64_t> next(width + 1, 0);  // the next place of each column
    each_entry(bucket, [&](std::uint32_t, const DesignEntry& entry) { ++next[entry.column - part.first_column + 1]; });
    next[0] = part.start;
    for (std::uint64_t c = 0; c < width; ++c) {
      next[c + 1] += next[c];
      starts[c] = next[c];
    }
    std::uint32_t* const rows = block.rows.data();
    T* const values = block.values.data();
    bool lost = false;
    each_entry(bucket, [&](std::uint32_t row, const DesignEntry& entry) {
      const std::uint64_t place = next[entry.column - part.first_column]++;
      rows[place] = row;
      values[place] = static_cast<T>(entry.value);
      lost = lost || values[place] == 0;
      if (static_cast<double>(std::abs(values[place])) > kLargest<T>) [[unlikely]]
        if (!part.unheld || entry.column < part.unheld->column)
          part.unheld.emplace(entry.value, entry.column, sizeof(T) < sizeof(double));
    });
    if (lost) find_lost(part, values, starts);
    if (order == EntryOrder::by_rows) return;
    for (std::uint64_t c = 0; c < width && !part.repeated; ++c)
      part.repeated = sort_column(part.first_column + c, rows + starts[c], values + starts[c], next[c] - starts[c]);
  }

  // Fails for a column whose values all become 0 in single precision.
  template <typename T>
  void find_lost(BucketPart& part, const T* values, const std::uint64_t* starts) const {
    std::uint64_t end = part.start + part.entries;
    for (std::uint64_t c = part.end_column - part.first_column; c-- > 0; end = starts[c])
      if (end > starts[c] && std::all_of(values + starts[c], values + end, [](T value) { return value == 0; }))
        part.unheld.emplace(0, part.first_column + c, true);
  }

  template <typename T>
  std::optional<RepeatedEntry> sort_column(std::uint64_t column, std::uint32_t* rows, T* values,
                                           std::size_t entries) const {
    if (!std::is_sorted(rows, rows + entries)) {
      std::vector<std::pair<std::uint32_t, T>> pairs(entries);
      for (std::size_t k = 0; k < entries; ++k) pairs[k] = {rows[k], values[k]};
      std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < entries; ++k) std::tie(rows[k], values[k]) = pairs[k];
    }
    const std::uint32_t* const repeated = std::adjacent_find(rows, rows + entries);
    if (repeated == rows + entries) return std::nullopt;
    return RepeatedEntry(range_.first_row + *repeated, column);
  }

  template <typename T>
  DenseBlock<T> dense(const SparseBlock<T>& sparse) const {
    const std::uint64_t columns = range_.end_column - range_.first_column;
    DenseBlock<T> block{range_.end_row - range_.first_row, {}};
    block.values = LargeVector<T>(block.rows * columns);
    run_in_parallel(columns, [&](std::size_t c) {
      T* const values = block.values.data() + c * block.rows;
      std::fill_n(values, block.rows, T{0});
      const SparseColumn<T> x = sparse.column(c);
      for (std::size_t k = 0; k < x.entries; ++k) values[x.rows[k]] = x.values[k];
    });
    return block;
  }

  std::span<const DesignPiece> all_;
  BlockRange range_;
  Keep keep_ = Keep::all;
  std::vector<const DesignPiece*> pieces_;  // that have rows of the block
  std::vector<BucketPart> parts_;
  std::array<std::atomic<std::size_t>, DesignEntries::kBuckets / kGroup> sorted_{};  // buckets of each group
  std::uint64_t entries_ = 0;
};

}  // namespace

void DesignEntries::add_rows(const io::LibsvmRows& rows, std::uint64_t first_row, std::uint64_t keep_first,
                             std::uint64_t keep_end) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.ends().size(); ++r) {
    const std::size_t end = rows.ends()[r];
    const std::uint64_t row = first_row + r;
    if (row - keep_first < keep_end - keep_first)
      for (std::size_t i = at; i < end; ++i) add(static_cast<std::uint32_t>(row), rows.columns()[i], rows.values()[i]);
    at = end;
  }
}

// A stable counting sort.
void DesignEntries::close_chunk() {
  Chunk& chunk = chunks_.emplace_back();
  std::uint64_t most = 0;
  for (const DesignEntry& entry : open_) most = std::max(most, entry.column - first_column_);
  while (most >> chunk.shift >= kBuckets) ++chunk.shift;
  const auto bucket_of = [&](const DesignEntry& entry) { return (entry.column - first_column_) >> chunk.shift; };
  for (const DesignEntry& entry : open_) ++chunk.begin[bucket_of(entry) + 1];
  for (std::size_t b = 0; b < kBuckets; ++b) chunk.begin[b + 1] += chunk.begin[b];
  auto next = chunk.begin;
  chunk.entries.resize(open_.size());
  for (const DesignEntry& entry : open_) {
    const std::size_t b = bucket_of(entry);
    chunk.entries[next[b]++] = entry;
    if (static_cast<double>(static_cast<float>(entry.value)) != entry.value) chunk.needs_double[b] = true;
  }
  open_.clear();
  shift_ = std::max(shift_, chunk.shift);
}

void DesignEntries::finish() {
  if (!open_.empty()) close_chunk();
  open_ = std::vector<DesignEntry>();
}

bool DesignEntries::is_single(std::size_t bucket) const {
  for (const Chunk& chunk : chunks_) {
    const auto [begin, end] = chunk.buckets_of(bucket, bucket + 1, shift_);
    for (std::size_t b = begin; b < end; ++b)
      if (chunk.needs_double[b]) return false;
  }
  return true;
}

void DesignEntries::release(std::size_t first, std::size_t end) const {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const Chunk& chunk : chunks_) {
    const auto buckets = chunk.buckets_of(first, end, shift_);
    const auto entries = chunk.entries_of(buckets.begin, buckets.end);
    // Whole pages only: the others have entries of other buckets.
    const auto from = (reinterpret_cast<std::uintptr_t>(entries.data()) + page - 1) / page * page;
    const auto to = reinterpret_cast<std::uintptr_t>(entries.data() + entries.size()) / page * page;
    if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
}

RepeatedEntry::RepeatedEntry(std::uint64_t row_number, std::uint64_t column_number)
    : std::runtime_error("row " + std::to_string(row_number + 1) + ", column " + std::to_string(column_number + 1) +
                         " is given twice"),
      row(row_number),
      column(column_number) {}

UnheldValue::UnheldValue(double value, std::uint64_t column_number, bool single)
    : std::runtime_error(
          value == 0
              ? "all values in column " + std::to_string(column_number + 1) + " are too small for single precision"
              : "the value " + io::exact_text(value) + " in column " + std::to_string(column_number + 1) +
                    " is too large " +
                    (single ? "for single precision" : "to be squared and summed up: give the column another unit")),
      column(column_number) {}

void align_buckets(std::span<DesignPiece> pieces) {
  std::uint32_t shift = 0;
  for (DesignPiece& piece : pieces) piece.entries.finish();
  for (const DesignPiece& piece : pieces) shift = std::max(shift, piece.entries.shift());
  for (DesignPiece& piece : pieces) piece.entries.widen(shift);
}

Columns build_columns(std::span<const DesignPiece> pieces, const BlockRange& range, Precision precision,
                      EntryOrder order, Keep keep) {
  return Builder(pieces, range).build(precision, order, keep);
}

}  // namespace rota::linear
