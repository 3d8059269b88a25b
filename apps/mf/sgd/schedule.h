// apps/mf/sgd/schedule.h -- which shard visits which slice.
//
// As in rota/schedules/rotation.h every shard visits every slice once an epoch, and no two shards hold the same one.
// But the slices are dealt into phases of as many as there are shards, again in every epoch; those of two phases go
// around all shards before the next two begin.  So the rows of some phases have met all their partners before those of
// others do, and an epoch makes more progress than one in which all rows move a little at a time (bench/RESULTS.md).
// The two go around in opposite directions, a step of each in turn, which lowers held-out errors.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "rota/schedules/rotation.h"

namespace rota::mf {

// The rows in the order of their ratings, dealt to the slices back and forth: equal numbers of rows for every slice,
// and rows of all weights, so that the pairs of a slice's rows are representative.
inline Cut mixed_cut(const Census& census, std::uint32_t slices) {
  std::vector<Key> order(census.size());
  std::iota(order.begin(), order.end(), Key{0});
  std::stable_sort(order.begin(), order.end(), [&](Key a, Key b) { return census[a] > census[b]; });
  Cut cut;
  cut.slices.resize(slices);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = i % slices;
    cut.slices[i / slices % 2 == 0 ? at : slices - 1 - at].push_back(order[i]);
  }
  for (auto& keys : cut.slices) std::sort(keys.begin(), keys.end());
  return cut;
}

class MfSchedule final : public Schedule {
 public:
  // `mixed`: slices have equal numbers of rows, and not of ratings.
  MfSchedule(const Job& job, bool mixed) : mixed_(mixed), shards_(job.shards), order_(job.slices) {}

  Cut cut(const Census& census, std::uint32_t slices) override {
    return mixed_ ? mixed_cut(census, slices) : balanced_cut(census, slices, false);
  }
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override {
    if (step_ == 0) {
      std::iota(order_.begin(), order_.end(), SliceId{0});
      for (std::size_t left = order_.size(); left > 1; --left) std::swap(order_[left - 1], order_[random.below(left)]);
    }
    Round round;
    const std::uint32_t pair = step_ / (2 * shards_) * 2 * shards_;
    const std::uint32_t phases = pair + shards_ < order_.size() ? 2 : 1, at = step_ - pair;
    const std::uint32_t turn = at / phases, moved = at % phases == 0 ? turn : shards_ - turn;
    const std::uint32_t phase = pair + at % phases * shards_;
    for (ShardId s = 0; s < shards_; ++s) round.owned.emplace_back(order_[phase + (s + moved) % shards_]);
    round.last_visits = turn + 1 == shards_;
    round.ends_epoch = ++step_ == order_.size();
    if (round.ends_epoch) step_ = 0;
    return round;
  }

 private:
  bool mixed_;
  std::uint32_t shards_, step_ = 0;
  std::vector<SliceId> order_;  // of this epoch
};

}  // namespace rota::mf
