// rota/open_parts.h -- one shard's parts of a round, by key.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "rota/types.h"

namespace rota {

// A shared row of a round that names its rows, as one shard receives it.
struct Entry {
  Key key;
  std::span<const double> value;  // as committed by the rounds that this task may see; zeros before the first commit
  std::span<double> part;         // to fill in: this shard's part; on entry zeros, or what Table::combine begins with
};

// In an open round, a shard makes parts for the rows that it chooses, in any order; only rows that were accessed have a
// cost.  Refers to memory of the host: a copy writes to the same parts.
class OpenParts {
 public:
  OpenParts() = default;
  // For the host: of a round that names its rows.
  explicit OpenParts(std::span<const Entry> named) : named_(named) {}
  // For the host: room for all rows' parts, and a bit for each row, all zero.
  OpenParts(Key keys, std::uint32_t width, double* numbers, std::uint64_t* touched, double identity = 0)
      : keys_(keys), width_(width), numbers_(numbers), touched_(touched), identity_(identity) {}

  Key keys() const { return keys_; }              // of the table; 0 in a round that names its rows
  std::uint32_t width() const { return width_; }  // of a part
  // A row's part; at its first access in this push zeros, or what Table::combine begins with.  Valid until the push
  // ends.  Throws std::out_of_range if the table has no such row, or the round does not name it.  In a round that names
  // its rows, the row is searched: by bisection if their keys ascend.
  std::span<double> operator[](Key key) const {
    if (key >= keys_) return named(key);
    double* const part = numbers_ + static_cast<std::size_t>(key) * width_;
    std::uint64_t& word = touched_[key / 64];
    const std::uint64_t bit = std::uint64_t{1} << key % 64;
    if ((word & bit) == 0) {
      word |= bit;
      std::fill_n(part, width_, identity_);
    }
    return {part, width_};
  }
  // The parts of `count` consecutive rows, one after the other.  The same conditions hold.
  std::span<double> run(Key first, Key count) const {
    if (count > keys_ || first > keys_ - count) no_such_row(first + count - 1);
    for (Key key = first; key < first + count;) {
      if (key % 64 == 0 && first + count - key >= 64 && touched_[key / 64] == 0) {
        touched_[key / 64] = ~std::uint64_t{0};
        std::fill_n(numbers_ + static_cast<std::size_t>(key) * width_, std::size_t{64} * width_, identity_);
        key += 64;
      } else {
        (*this)[key++];
      }
    }
    return {numbers_ + static_cast<std::size_t>(first) * width_, static_cast<std::size_t>(count) * width_};
  }

 private:
  [[gnu::noinline]] std::span<double> named(Key key) const {
    auto found = std::lower_bound(named_.begin(), named_.end(), key, [](const Entry& e, Key k) { return e.key < k; });
    if (found == named_.end() || found->key != key)
      found = std::find_if(named_.begin(), named_.end(), [key](const Entry& entry) { return entry.key == key; });
    if (found == named_.end()) no_such_row(key);
    return found->part;
  }
  [[noreturn, gnu::noinline, gnu::cold]] void no_such_row(Key key) const {
    throw std::out_of_range(
        "a part of row " + std::to_string(key) +
        (keys_ == 0 ? ", which the round does not name" : " of a table of " + std::to_string(keys_) + " rows"));
  }

  std::span<const Entry> named_;
  Key keys_ = 0;
  std::uint32_t width_ = 0;
  double* numbers_ = nullptr;
  std::uint64_t* touched_ = nullptr;
  double identity_ = 0;
};

}  // namespace rota
