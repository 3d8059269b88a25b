// rota/schedules/rotation.h -- the rotation schedule: slices pass from shard to shard, so that every shard updates
// every slice once an epoch and no two shards ever hold the same one.
//
// STRADS (Lee et al., NIPS 2014, section 3.1) gives shard a slice ((a + C - 1) mod U) + 1 in round C.  Here there are
// f >= 2 slices for each shard, and shard s takes slice (f s + t) mod (f S) at step t.  So slice b goes from shard s at
// step t to shard s - 1 at step t + f: while it is in transit, f - 1 others are computed (Harp's model rotation, where
// f = 2).  At the end of an epoch each slice returns to where it began.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "rota/job.h"
#include "rota/schedule.h"

namespace rota {

// Deals rows into slices of equal work: heaviest first, each to the lightest slice.  A row heavier than an even
// slice cannot be balanced by whole rows (in text with stop words one word holds 7 % of the tokens), so it is
// replicated instead, if `replicate` allows it.
inline Cut balanced_cut(const Census& weight, std::uint32_t slices, bool replicate) {
  Cut cut;
  cut.slices.resize(slices);
  std::vector<Key> order(weight.size());
  std::iota(order.begin(), order.end(), Key{0});
  std::stable_sort(order.begin(), order.end(), [&](Key a, Key b) { return weight[a] > weight[b]; });

  std::uint64_t total = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  std::size_t first = 0;  // of the rows that rotate
  if (replicate && slices > 1) {
    // Removing a heavy row makes the even slice smaller, so the next row is compared with what is left.
    while (first < order.size() && weight[order[first]] * slices > total) total -= weight[order[first++]];
  }
  cut.replicated.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first));
  std::sort(cut.replicated.begin(), cut.replicated.end());

  // Rows without work must be assigned as well: one unit each spreads them evenly.
  using Load = std::pair<std::uint64_t, SliceId>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
  for (SliceId b = 0; b < slices; ++b) lightest.emplace(0, b);
  for (std::size_t i = first; i < order.size(); ++i) {
    auto [load, slice] = lightest.top();
    lightest.pop();
    cut.slices[slice].push_back(order[i]);
    lightest.emplace(load + weight[order[i]] + 1, slice);
  }
  for (auto& keys : cut.slices) std::sort(keys.begin(), keys.end());
  return cut;
}

class RotationSchedule : public Schedule {
 public:
  // `totals` are shared rows that every slice's update reads (LDA's topic totals): an epoch then ends with a
  // shared round over them and the replicated rows.  Replicated rows are rows of the same shared table; a
  // key k of the sliced table has the key `first_replicated` + k there.
  struct Shared {
    TableId table = 0;
    std::vector<Key> totals;
    Key first_replicated = 0;
  };

  explicit RotationSchedule(const Job& job) : shards_(job.shards), slices_(job.slices) {}
  RotationSchedule(const Job& job, Shared shared)
      : shards_(job.shards), slices_(job.slices), has_shared_(true), shared_(std::move(shared)) {}

  Cut cut(const Census& census, std::uint32_t slices) override {
    Cut cut = balanced_cut(census, slices, has_shared_);
    for (const Key key : cut.replicated) shared_.totals.push_back(shared_.first_replicated + key);
    return cut;
  }

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }

  Round next(Random&) override {
    Round round;
    if (step_ < slices_) {
      const std::uint32_t per_shard = slices_ / shards_;
      round.owned.reserve(shards_);
      for (ShardId s = 0; s < shards_; ++s) round.owned.emplace_back((per_shard * s + step_) % slices_);
      // The last steps, one for each slice of a shard's own, are the last visits to all slices.
      round.last_visits = step_ + per_shard >= slices_;
      round.ends_epoch = step_ + 1 == slices_ && !has_shared_;
    } else {
      round.table = shared_.table;
      round.shared = shared_.totals;
      round.ends_epoch = true;
    }
    step_ = round.ends_epoch ? 0 : step_ + 1;
    return round;
  }

 private:
  std::uint32_t shards_, slices_;
  std::uint32_t step_ = 0;
  bool has_shared_ = false;
  Shared shared_;
};

}  // namespace rota
