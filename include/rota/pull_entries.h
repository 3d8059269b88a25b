// rota/pull_entries.h -- the rows of a round, as a pull receives them.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>

#include "rota/types.h"

namespace rota {

// A row at the end of a round.
struct PullEntry {
  Key key;
  std::span<const double> sum;  // of all shards' parts, elementwise, in the order of the fixed tree; or what
                                // Table::combine says in place of the sum
  std::span<double> value;      // to rewrite in place
};

// A run of `count` > 0 rows whose keys and values are consecutive.
struct PullRun {
  Key first;
  std::size_t count;
  std::span<const double> sum;  // as in PullEntry, row after row
  std::span<double> value;      // to rewrite in place, row after row

  PullEntry entry(std::size_t i) const {
    const std::size_t part = sum.size() / count, width = value.size() / count;
    return {first + i, sum.subspan(i * part, part), value.subspan(i * width, width)};
  }
};

// The rows of a round as a range of PullEntry, whether they are stored as entries or as runs.
class PullEntries {
 public:
  template <std::convertible_to<std::span<const PullEntry>> Entries>
  PullEntries(const Entries& entries) : entries_(entries), size_(entries_.size()) {}
  explicit PullEntries(std::span<const PullRun> runs) : runs_(runs) {
    for (const PullRun& run : runs_) size_ += run.count;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Of a round that names its rows.
  std::span<const PullEntry> named() const { return entries_; }
  // Of an open round: a pull that handles many rows at once is faster than one that handles each alone.
  std::span<const PullRun> runs() const { return runs_; }
  // Searches the runs for the row; iterate from begin() to end() to visit all.  Throws std::out_of_range if there are
  // fewer: a partition of the store may have none of an open round.
  PullEntry operator[](std::size_t i) const {
    if (i >= size_) throw std::out_of_range("this partition has " + std::to_string(size_) + " rows of the round");
    if (runs_.empty()) return entries_[i];
    const PullRun* run = runs_.data();
    for (; i >= run->count; ++run) i -= run->count;
    return run->entry(i);
  }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = PullEntry;
    using difference_type = std::ptrdiff_t;
    using pointer = const PullEntry*;
    using reference = PullEntry;

    Iterator() = default;
    Iterator(const PullEntry* entry, const PullRun* run) : entry_(entry), run_(run) {}
    PullEntry operator*() const { return run_ == nullptr ? *entry_ : run_->entry(in_run_); }
    Iterator& operator++() {
      if (run_ == nullptr)
        ++entry_;
      else if (++in_run_ == run_->count)
        ++run_, in_run_ = 0;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const PullEntry* entry_ = nullptr;
    const PullRun* run_ = nullptr;  // null: the rows are stored as entries
    std::size_t in_run_ = 0;
  };
  Iterator begin() const { return {entries_.data(), runs_.data()}; }
  Iterator end() const { return {entries_.data() + entries_.size(), runs_.data() + runs_.size()}; }

 private:
  std::span<const PullEntry> entries_;
  std::span<const PullRun> runs_;
  std::size_t size_ = 0;
};

}  // namespace rota
