// apps/mf/alternating/schedule.h -- the same rounds in every epoch, users and items in turn.
#pragma once
#include <utility>
#include <vector>

#include "rota/schedule.h"

namespace rota::mf {

class AlternatingSchedule final : public Schedule {
 public:
  // At least one round; the last one ends the epoch.
  explicit AlternatingSchedule(std::vector<Round> rounds) : rounds_(std::move(rounds)) {
    rounds_.back().ends_epoch = true;
  }

  // The app's other solver has slices; those of this one are empty.
  Cut cut(const Census&, std::uint32_t slices) override { return {std::vector<std::vector<Key>>(slices), {}}; }
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random&) override { return rounds_[std::exchange(next_, (next_ + 1) % rounds_.size())]; }

  // A round on one side, for the rows that the shards choose.
  static Round round_on(TableId side, std::vector<double> argument = {}) {
    Round round;
    round.table = side;
    round.argument = std::move(argument);
    round.open = true;
    return round;
  }

 private:
  std::vector<Round> rounds_;
  std::size_t next_ = 0;  // 0 at the end of an epoch
};

}  // namespace rota::mf
