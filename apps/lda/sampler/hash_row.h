// apps/lda/sampler/hash_row.h -- the topic counts of one document in a hash table: open addressing, linear probing.
#pragma once
#include <cstdint>

namespace rota::lda {

// A view of 2^bits places in memory owned by others, each a topic and its count; a place is free if the count is 0.
// Topics are deleted by shifting those after them back (Knuth, "The Art of Computer Programming" 3, section 6.4,
// algorithm R), so there are no deletion marks.  REQUIRES at least one free place at any time.
class HashRow {
 public:
  HashRow(std::uint16_t* begin, std::uint32_t bits) : begin_(begin), mask_((1U << bits) - 1), shift_(32 - bits) {}

  // Where a search for the topic begins; for prefetching.
  const std::uint16_t* home(std::uint32_t topic) const { return begin_ + 2 * home_of(topic); }

  std::uint32_t count(std::uint32_t topic) const { return begin_[2 * find(topic) + 1]; }

  // True if the topic is new here.
  bool add(std::uint32_t topic, std::uint32_t count) {
    std::uint16_t* const place = begin_ + 2 * find(topic);
    const bool is_new = place[1] == 0;
    place[0] = static_cast<std::uint16_t>(topic);
    place[1] = static_cast<std::uint16_t>(place[1] + count);
    return is_new;
  }

  // Subtracts one from a topic; true if that was the last.  REQUIRES that the row has it.
  bool remove(std::uint32_t topic) {
    std::uint32_t hole = find(topic);
    if (--begin_[2 * hole + 1] != 0) return false;
    for (std::uint32_t i = (hole + 1) & mask_; begin_[2 * i + 1] != 0; i = (i + 1) & mask_) {
      // It may fill the hole if the hole is between its home and its place.
      const std::uint32_t home = home_of(begin_[2 * i]);
      if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
      begin_[2 * hole] = begin_[2 * i];
      begin_[2 * hole + 1] = begin_[2 * i + 1];
      begin_[2 * i + 1] = 0;
      hole = i;
    }
    return true;
  }

 private:
  // Multiplicative hashing with 2^32 / golden ratio.
  std::uint32_t home_of(std::uint32_t topic) const { return topic * 0x9e3779b1U >> shift_; }
  // The topic's place, or the free one where it would go.
  std::uint32_t find(std::uint32_t topic) const {
    std::uint32_t i = home_of(topic);
    while (begin_[2 * i] != topic && begin_[2 * i + 1] != 0) i = (i + 1) & mask_;
    // A free place may still name its last topic: its count is 0, which is correct.
    return i;
  }

  std::uint16_t* begin_;
  std::uint32_t mask_, shift_;
};

}  // namespace rota::lda
