// apps/sgd/schedule.h -- an epoch is as many open rounds as --batch says.
#pragma once
#include <algorithm>
#include <cstdint>

#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/schedule.h"

namespace rota::sgd {

class SgdSchedule final : public SavesFields<Schedule, SgdSchedule> {
 public:
  SgdSchedule(std::uint64_t rows, std::uint32_t shards, const Settings& settings)
      : rounds_(std::max<std::uint64_t>(1, (rows + settings.batch - 1) / settings.batch)),
        rows_of_round_(static_cast<double>(rows) / shards / static_cast<double>(rounds_)),
        last_(rounds_ * settings.epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }  // nothing that is heard changes a choice
  Round next(Random&) override {
    const std::uint64_t at = done_ % rounds_;
    Round round;
    round.table = kWeights;
    round.open = true;
    round.argument = {static_cast<double>(at), static_cast<double>(rounds_),
                      rows_of_round_ * static_cast<double>(done_), rows_of_round_ * static_cast<double>(done_ + 1)};
    round.ends_epoch = at + 1 == rounds_;
    round.ends_job = ++done_ == last_;
    return round;
  }

  void fields(auto& list) { list(done_); }

 private:
  std::uint64_t rounds_;  // of an epoch
  double rows_of_round_;  // of a shard, on average
  std::uint64_t last_;    // round of the job
  std::uint64_t done_ = 0;
};

}  // namespace rota::sgd
