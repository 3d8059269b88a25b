// rota/exchange_schedule.h -- epochs of shards with replicas: some exchange rounds, and a last one of the store.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "rota/fields.h"
#include "rota/sweep.h"

namespace rota {

// The exchange rounds of an epoch go along the app's dataflows in turn; the last round is an open one, in which the
// replicas come into a dense table, so that the next epoch can begin with its view and no replica has to be saved.
class ExchangeSchedule final : public SavesFields<OpenSchedule, ExchangeSchedule> {
 public:
  // The argument of the n-th exchange round of the job, n = 0, 1, ...; an epoch's last round has that of the one
  // before.
  using Argument = std::function<std::vector<double>(std::uint64_t n)>;
  struct Epochs {
    std::uint64_t rounds = 1;     // exchange rounds of each, at least one
    std::uint32_t dataflows = 1;  // of the app
    std::uint64_t most = 0;       // after so many the job ends; 0: when it is told to
  };

  ExchangeSchedule(TableId table, Epochs epochs, Argument argument = {}, StopBelow stop = {})
      : SavesFields(table, std::vector<double>{}, stop), epochs_(epochs), argument_(std::move(argument)) {}

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

  // At an epoch's end none of the next one's rounds is done.
  void fields(auto& list) { list(done_); }

 private:
  std::vector<double> argument(std::uint64_t n) const { return argument_ ? argument_(n) : std::vector<double>{}; }

  Epochs epochs_;
  Argument argument_;
  std::uint64_t done_ = 0;  // exchange rounds of the job
  std::uint64_t at_ = 0;    // and of the epoch
};

}  // namespace rota
