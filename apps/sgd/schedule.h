// apps/sgd/schedule.h -- an epoch has the open rounds that --sync_rows gives.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/schedule.h"

namespace rota::sgd {

// The rounds of an epoch in which shards make steps, and their arguments.
struct RoundsOfEpoch {
  RoundsOfEpoch(std::uint64_t rows, std::uint32_t shards, std::uint64_t sync_rows, double rows_before_job = 0)
      : count(std::max<std::uint64_t>(1, (rows + sync_rows - 1) / sync_rows)),
        rows_of_round(static_cast<double>(rows) / shards / static_cast<double>(count)),
        rows_before(rows_before_job) {}

  // Of the n-th round of the job, n = 0, 1, ...
  std::vector<double> argument(std::uint64_t n) const {
    return {static_cast<double>(n % count), static_cast<double>(count),
            rows_before + rows_of_round * static_cast<double>(n),
            rows_before + rows_of_round * static_cast<double>(n + 1)};
  }

  std::uint64_t count;
  double rows_of_round;  // of a shard, on average
  double rows_before;    // of a shard, on average, in earlier jobs
};

class SgdSchedule final : public SavesFields<Schedule, SgdSchedule> {
 public:
  SgdSchedule(RoundsOfEpoch rounds, std::uint64_t epochs) : rounds_(rounds), last_(rounds.count * epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }  // no choice depends on feedback
  Round next(Random&) override {
    Round round;
    round.table = kWeights;
    round.open = true;
    round.argument = rounds_.argument(done_);
    round.ends_epoch = ++done_ % rounds_.count == 0;
    round.ends_job = done_ == last_;
    return round;
  }

  void fields(auto& list) { list(done_); }

 private:
  RoundsOfEpoch rounds_;
  std::uint64_t last_;  // round of the job
  std::uint64_t done_ = 0;
};

}  // namespace rota::sgd
