// core/rounds/row_store.h -- the rows of one table as runs of numbers, not an object each: ten million rows of one
// number cost little more than their numbers.
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

#include "core/base/key_runs.h"
#include "core/rounds/zeroed.h"
#include "rota/types.h"

namespace rota {

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

}  // namespace rota
