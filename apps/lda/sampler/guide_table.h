// apps/lda/sampler/guide_table.h -- draws topics in proportion to weights, in constant time.
//
// The running sums of the weights, searched with a guide that gives the first entry to look at (Chen and Asau, "On
// generating random variates from an empirical distribution", AIIE Transactions 6, 1974): less than two comparisons a
// draw on average.  An alias table needs none, but takes several times as long to make; and here a table of a word
// serves few draws for each of its entries.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rota::lda {

class GuideTable {
 public:
  void clear();
  // Weights are positive; sums of whole numbers are exact.
  void add(std::uint16_t topic, double weight) {
    topics_.push_back(topic);
    ends_.push_back(total_ += weight);
  }
  // Call it after the last add(), and before draw().
  void finish();

  double total() const { return total_; }
  // The topic whose share of [0, total()) contains `at`; if rounding has put it beyond, the last topic.  The pointer is
  // valid until clear().  REQUIRES total() > 0.
  const std::uint16_t* draw(double at) const {
    std::size_t i = guide_[guide_of(at)];
    while (ends_[i] <= at) ++i;
    return &topics_[i];
  }

 private:
  // Non-decreasing in `at`, which is all that the guide relies on.
  std::size_t guide_of(double at) const {
    const auto i = static_cast<std::size_t>(at * scale_);
    return i < guide_.size() ? i : guide_.size() - 1;
  }

  std::vector<std::uint16_t> topics_;
  std::vector<double> ends_;          // of each topic's share; the last is infinite
  std::vector<std::uint32_t> guide_;  // one for each topic: an entry not after any whose share begins there
  double total_ = 0, scale_ = 0;
};

}  // namespace rota::lda
