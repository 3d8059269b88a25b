// apps/sgd/exchange/schedule.h -- an epoch is as many exchange rounds as --batch says, and a last one of the store.
#pragma once
#include <cstdint>

#include "apps/sgd/schedule.h"
#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/schedule.h"

namespace rota::sgd {

class ExchangeSchedule final : public SavesFields<Schedule, ExchangeSchedule> {
 public:
  // `dataflows` take turns, one in each round.
  ExchangeSchedule(RoundsOfEpoch rounds, std::uint64_t epochs, std::uint32_t dataflows)
      : rounds_(rounds), last_(rounds.count * epochs), dataflows_(dataflows) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random&) override {
    Round round;
    if (!epoch_is_over_) {
      round.dataflow = static_cast<std::uint32_t>(done_ % dataflows_);
      round.argument = rounds_.argument(done_++);
      epoch_is_over_ = done_ % rounds_.count == 0;
      return round;
    }
    epoch_is_over_ = false;
    round.table = kWeights;
    round.open = true;
    round.argument = rounds_.argument(done_ - 1);
    round.ends_epoch = true;
    round.ends_job = done_ == last_;
    return round;
  }

  void fields(auto& list) { list(done_, epoch_is_over_); }

 private:
  RoundsOfEpoch rounds_;
  std::uint64_t last_;  // exchange round of the job
  std::uint32_t dataflows_;
  std::uint64_t done_ = 0;  // exchange rounds
  bool epoch_is_over_ = false;
};

}  // namespace rota::sgd
