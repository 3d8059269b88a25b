// rota/sweep.h -- schedules of shared rounds that need no feedback: every row in turn, or rows at random.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "rota/schedule.h"

namespace rota {

// Rows 0 .. keys-1 of a shared table in turn, `batch` a round.  An epoch is one pass.
class RoundRobinSchedule : public Schedule {
 public:
  RoundRobinSchedule(TableId table, std::uint64_t keys, std::uint64_t batch)
      : table_(table), keys_(keys), batch_(std::max<std::uint64_t>(batch, 1)) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }

  Round next(Random&) override {
    Round round;
    round.table = table_;
    const std::uint64_t end = std::min(keys_, at_ + batch_);
    while (at_ < end) round.shared.push_back(at_++);
    round.ends_epoch = at_ == keys_;
    if (round.ends_epoch) at_ = 0;
    return round;
  }

 private:
  TableId table_;
  std::uint64_t keys_, batch_;
  std::uint64_t at_ = 0;
};

// `batch` different rows a round, each drawn uniformly.  An epoch is as many draws as there are rows.
class RandomSchedule : public Schedule {
 public:
  RandomSchedule(TableId table, std::uint64_t keys, std::uint64_t batch)
      : table_(table), keys_(keys), batch_(std::clamp<std::uint64_t>(batch, 1, std::max<std::uint64_t>(keys, 1))) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }

  Round next(Random& random) override {
    Round round;
    round.table = table_;
    // Floyd's sampling: `batch` distinct numbers with exactly `batch` draws.
    std::vector<Key>& rows = round.shared;
    for (std::uint64_t j = keys_ - batch_; j < keys_; ++j) {
      const Key drawn = random.below(j + 1);
      const auto place = std::lower_bound(rows.begin(), rows.end(), drawn);
      if (place != rows.end() && *place == drawn)
        rows.push_back(j);  // j is larger than all before it
      else
        rows.insert(place, drawn);
    }
    drawn_ += batch_;
    round.ends_epoch = drawn_ >= keys_;
    if (round.ends_epoch) drawn_ = 0;
    return round;
  }

 private:
  TableId table_;
  std::uint64_t keys_, batch_;
  std::uint64_t drawn_ = 0;
};

}  // namespace rota
