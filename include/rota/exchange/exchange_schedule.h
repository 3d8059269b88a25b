// rota/exchange/exchange_schedule.h -- epochs of shards with replicas: some exchange rounds, then one round of the
// store.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include "rota/schedules/sweep.h"

namespace rota {

// The exchange rounds of an epoch use the app's dataflows in turn.  The last round is an open one, which writes the
// replicas to a dense table, so that the next epoch can begin with its view and no replica has to be saved.
class ExchangeSchedule final : public OpenSchedule {
 public:
  // The argument of the n-th exchange round of the job, n = 0, 1, ...  The last round of an epoch has the argument of
  // the round before it.
  using Argument = std::function<rota::Argument(std::uint64_t n)>;
  struct Epochs {
    std::uint64_t rounds = 1;     // exchange rounds of each, at least one
    std::uint32_t dataflows = 1;  // of the app
    std::uint64_t most = 0;       // rounds after which the job ends; 0: no limit
  };

  ExchangeSchedule(TableId table, Epochs epochs, Argument argument = {}, StopBelow stop = {})
      : OpenSchedule(table, rota::Argument(), stop), epochs_(epochs), argument_(std::move(argument)) {}

  Round next(Random& random) override {
    if (at_ == epochs_.rounds) {
      at_ = 0;
      Round last = OpenSchedule::next(random);
      last.argument = argument(done_ - 1);
      last.ends_job = done_ == epochs_.most * epochs_.rounds;
      return last;
    }
    ++at_;
    Round round;
    round.dataflow = static_cast<std::uint32_t>(done_ % epochs_.dataflows);
    round.argument = argument(done_++);
    return round;
  }

  // At the end of an epoch no round of the next one has run.
  void state(Archive& list) override { list(done_); }

 private:
  rota::Argument argument(std::uint64_t n) const { return argument_ ? argument_(n) : rota::Argument(); }

  Epochs epochs_;
  Argument argument_;
  std::uint64_t done_ = 0;  // exchange rounds of the job
  std::uint64_t at_ = 0;    // and of the epoch
};

}  // namespace rota
