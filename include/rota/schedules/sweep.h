// rota/schedules/sweep.h -- schedules of shared rounds that choose without feedback: every row in turn, rows at random,
// or the rows that the shards choose.  With a tolerance they end the job when an epoch has changed little.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rota/fields.h"
#include "rota/schedule.h"

namespace rota {

// Ends the job when an epoch changes the rows by less than the tolerance, or when a pull says so.
struct StopBelow {
  enum class Norm {
    l1,       // the sum of all numbers' |new - old|
    l2,       // the root of the sum of their squares
    largest,  // the largest
  };
  double tolerance = 0;  // 0: never
  Norm norm = Norm::l1;
  bool by_pull = false;  // the last pull of the epoch replied true: write_fields(task.reply, true)

  bool active() const { return tolerance > 0 || by_pull; }
  bool reached(const ChangeNorms& change) const {
    const double size = norm == Norm::l1 ? change.l1 : norm == Norm::l2 ? std::sqrt(change.l2_squared) : change.largest;
    return tolerance > 0 && size < tolerance;
  }
};

// Common to the schedules here: they only receive the size of an epoch's changes.
class SweepSchedule : public Schedule {
 public:
  SweepSchedule(TableId table, Argument argument, StopBelow stop)
      : table_(table), argument_(std::move(argument)), stop_(stop) {}

  std::uint32_t pipeline(std::uint32_t wish) const override {
    return !stop_.active() ? 0 : wish > 0 ? wish : kRoundsOut;
  }
  Feedback wish() const override { return Feedback::norms; }
  void feedback(const Commit& commit) override {
    change_ += commit.norms;
    if (stop_.by_pull && !commit.reply.empty()) pull_stops_ = read_fields<bool>(commit.reply);
  }
  std::vector<Figure> figures() override {
    const ChangeNorms change = std::exchange(change_, {});
    reached_ = stop_.reached(change) || pull_stops_;
    if (!stop_.active()) return {};
    return {{"change_l1", change.l1}, {"change_l2", std::sqrt(change.l2_squared)}, {"change_largest", change.largest}};
  }
  std::optional<bool> converged() const override { return stop_.active() ? std::optional(reached_) : std::nullopt; }
  bool may_end_job() const override { return stop_.active(); }
  bool ends_job() override { return reached_; }

 protected:
  Round empty_round() const {
    Round round;
    round.table = table_;
    round.argument = argument_;
    return round;
  }

 private:
  // No choice depends on feedback, so the rounds in flight need only cover the delay of the feedback.
  static constexpr std::uint32_t kRoundsOut = 16;

  TableId table_;
  Argument argument_;
  StopBelow stop_;
  ChangeNorms change_;  // of the epoch
  bool pull_stops_ = false;
  bool reached_ = false;
};

// Rows 0 .. keys-1 of a shared table in turn, `batch` a round, with the same argument in each.  An epoch is one pass.
class RoundRobinSchedule : public SweepSchedule {
 public:
  RoundRobinSchedule(TableId table, std::uint64_t keys, std::uint64_t batch, Argument argument = {},
                     StopBelow stop = {})
      : SweepSchedule(table, std::move(argument), stop), keys_(keys), batch_(std::max<std::uint64_t>(batch, 1)) {}

  Round next(Random&) override {
    Round round = empty_round();
    const std::uint64_t end = std::min(keys_, at_ + batch_);
    while (at_ < end) round.shared.push_back(at_++);
    round.ends_epoch = at_ == keys_;
    if (round.ends_epoch) at_ = 0;
    return round;
  }

 private:
  std::uint64_t keys_, batch_;
  std::uint64_t at_ = 0;
};

// Every epoch has `rounds` open rounds of a dense table: all shards make parts for the rows that they choose.
class OpenSchedule : public SweepSchedule {
 public:
  explicit OpenSchedule(TableId table, Argument argument = {}, StopBelow stop = {}, std::uint64_t rounds = 1)
      : SweepSchedule(table, std::move(argument), stop), rounds_(rounds) {}

  Round next(Random&) override {
    Round round = empty_round();
    round.open = true;
    round.ends_epoch = ++at_ == rounds_;
    if (round.ends_epoch) at_ = 0;
    return round;
  }

 private:
  std::uint64_t rounds_;
  std::uint64_t at_ = 0;  // of the epoch
};

// `batch` different rows a round, each drawn uniformly.  An epoch has as many draws as there are rows.
class RandomSchedule : public SweepSchedule {
 public:
  RandomSchedule(TableId table, std::uint64_t keys, std::uint64_t batch, Argument argument = {}, StopBelow stop = {})
      : SweepSchedule(table, std::move(argument), stop),
        keys_(keys),
        batch_(std::clamp<std::uint64_t>(batch, 1, std::max<std::uint64_t>(keys, 1))) {}

  Round next(Random& random) override {
    Round round = empty_round();
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
  std::uint64_t keys_, batch_;
  std::uint64_t drawn_ = 0;
};

}  // namespace rota
