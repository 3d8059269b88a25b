// core/rounds/rows.h -- the memory engine: the shared rows that live in one partition, as runs of numbers, not an
// object each: ten million rows of one number cost little more than their numbers.  And the hash of a model.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/key_runs.h"
#include "core/rounds/zeroed.h"
#include "rota/bytes.h"
#include "rota/job.h"
#include "rota/types.h"

namespace rota {

// ---- the one hash of a model: its slices in order, and the set of its shared rows

inline Hash128 row_hash(TableId table, Key key, std::span<const double> values) {
  Writer row;
  row.put(table);
  row.put(key);
  row.put_all(values);
  return hash128(row.view());
}

class ModelHash {
 public:
  // By ascending number.  `bytes_hash` is that of what Slice::encode wrote.
  void add_slice(std::uint64_t slice, const Hash128& bytes_hash) {
    constexpr std::uint8_t kSlice = 2;  // never change it
    slices_.put(kSlice);
    slices_.put(slice);
    slices_.put(bytes_hash.low);
    slices_.put(bytes_hash.high);
  }
  // The sum of row_hash() over all rows, or over some.
  void add_rows(const Hash128& sum) { rows_ += sum; }

  Hash128 get() const {
    Writer all;
    all.append(slices_.view().data(), slices_.view().size());
    all.put(rows_.low);
    all.put(rows_.high);
    return hash128(all.view());
  }

 private:
  Writer slices_;
  Hash128 rows_;
};

// ---- rows

// The rows of one table.
//
// Of a dense table: the rows of a range of keys, contiguous, and a bit for each that says whether it is there.  Memory
// is taken as rows are written.
//
// Of another, keys are cut into pages of equal length.  A page has the rows that were ever written, packed in the order
// of their keys, and a bit for each key that says whether its row is there.  Reading is safe from several threads while
// no thread writes.
class RowStore {
 public:
  // `width`: numbers in a row; may be 0.
  explicit RowStore(std::uint32_t width);
  // Of a dense table.  All keys are of the range.
  RowStore(std::uint32_t width, const KeyRange& range);

  std::uint32_t width() const { return width_; }
  std::uint64_t size() const { return rows_; }
  // The row; none if it was never written.  Valid until the next row is added.
  std::optional<std::span<const double>> find(Key key) const;
  // A row to read and write; zeros when it is new.  Valid until the next row is added.
  std::span<double> at(Key key);

  // The rows of a run of keys of a dense table, one after the other; zeros where they are new.
  std::span<double> at_run(const KeyRun& run);

  // Calls f(key, values) for the rows after a key (none: from the first), in order, until it says false.
  template <typename F>
  void for_each_after(std::optional<Key> after, F f) const {
    if (dense_) return dense_->for_each_after(after, width_, f);
    for (auto page = after ? pages_.lower_bound(*after >> shift_) : pages_.begin(); page != pages_.end(); ++page) {
      std::size_t place = 0;
      for (std::size_t word = 0; word < kWords; ++word) {
        for (std::uint64_t left = page->second.present[word]; left != 0; left &= left - 1, ++place) {
          const Key key = (page->first << shift_) + word * 64 + static_cast<std::size_t>(std::countr_zero(left));
          if (after && key <= *after) continue;
          if (!f(key, std::span(page->second.values).subspan(place * width_, width_))) return;
        }
      }
    }
  }

  // Bytes that it takes, room that is not used yet included.
  std::size_t memory() const;

 private:
  static constexpr std::size_t kWords = 16;  // of 64 bits: the keys of the longest page
  struct Page {
    std::array<std::uint64_t, kWords> present{};
    std::vector<double> values;  // row after row
  };
  struct Dense {
    KeyRange range;
    Zeroed<double> values;          // row after row
    Zeroed<std::uint64_t> present;  // a bit for each row

    template <typename F>
    void for_each_after(std::optional<Key> after, std::uint32_t width, F f) const {
      for (Key key = after ? std::max(*after + 1, range.first) : range.first; key < range.end;) {
        const auto place = static_cast<std::size_t>(key - range.first);
        const std::uint64_t left = present[place / 64] >> place % 64;
        if (left == 0) {
          key += 64 - place % 64;
          continue;
        }
        const auto gap = static_cast<std::size_t>(std::countr_zero(left));
        key += gap;
        if (!f(key, std::span(values.data() + (place + gap) * width, width))) return;
        ++key;
      }
    }
  };
  // Rows of the page before this key.
  static std::size_t place_of(const Page& page, std::size_t key);

  std::uint32_t width_;
  unsigned shift_;  // of a key, to its page's number
  std::map<Key, Page> pages_;
  std::optional<Dense> dense_;
  std::uint64_t rows_ = 0;
};

class Rows {
 public:
  explicit Rows(std::vector<Table> tables, std::uint32_t partition = 0, std::uint32_t partitions = 1);

  const std::vector<Table>& tables() const { return tables_; }
  bool has_table(TableId table) const { return table < tables_.size() && tables_[table].kind == Table::Kind::shared; }
  // Whether a row may live here: one of a shared table that has it, and if that is dense, of the partition's range.
  bool may_have(TableId table, Key key) const {
    return has_table(table) && key >= ranges_[table].first && key < ranges_[table].end;
  }
  // The keys of a table that may live here.  REQUIRES has_table.
  const KeyRange& range(TableId table) const { return ranges_[table]; }
  // A row to read and write; zeros when it is new.  Valid until the next row is added.  REQUIRES may_have.
  std::span<double> row(TableId table, Key key) { return rows_[table].at(key); }
  // A run of rows of a dense table, one after the other.  REQUIRES that each may be here.
  std::span<double> run(TableId table, const KeyRun& run) { return rows_[table].at_run(run); }
  // `values` has the table's width.  REQUIRES may_have.
  void set(TableId table, Key key, std::span<const double> values) {
    const std::span<double> row = rows_[table].at(key);
    std::copy_n(values.begin(), row.size(), row.begin());
  }
  // Calls f(table, key, values) for every row, in order of table and key.
  template <typename F>
  void for_each(F f) const {
    for (TableId table = 0; table < rows_.size(); ++table)
      rows_[table].for_each_after(std::nullopt, [&](Key key, std::span<const double> values) {
        f(table, key, values);
        return true;
      });
  }
  // Calls f(key, values) for the rows of a table after a key (none: from the first), in order, until it says false.
  template <typename F>
  void for_each_after(TableId table, std::optional<Key> after, F f) const {
    rows_[table].for_each_after(after, f);
  }
  // Of the set of rows: the same however they are spread over partitions.
  Hash128 hash() const {
    Hash128 sum;
    for_each([&](TableId table, Key key, std::span<const double> values) { sum += row_hash(table, key, values); });
    return sum;
  }

 private:
  std::vector<Table> tables_;
  std::vector<KeyRange> ranges_;  // by table
  std::vector<RowStore> rows_;    // by table
};

}  // namespace rota
