#include "apps/mf/sgd/schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rota/schedules/rotation.h"

namespace rota::mf {

// The rows in the order of their ratings, back and forth: equal numbers of rows for every slice, and rows of all
// weights, so that the pairs of a slice's rows are representative.
Cut mixed_cut(const Census& census, std::uint32_t slices) {
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

Cut MfSchedule::cut(const Census& census, std::uint32_t slices) {
  if (settings_.loss == Loss::bpr) return mixed_cut(census, slices);
  return balanced_cut(census, slices, false);
}

double MfSchedule::rate() const {
  if (settings_.schedule == RateSchedule::adagrad) return settings_.rate;
  // Yun et al., "NOMAD", VLDB 2014, equation 11; t counts the steps of one rating.
  return settings_.rate / (1 + settings_.decay * std::pow(static_cast<double>(epochs_), 1.5));
}

Round MfSchedule::next(Random& random) {
  if (step_ == 0) {
    std::iota(order_.begin(), order_.end(), SliceId{0});
    for (std::size_t left = order_.size(); left > 1; --left) std::swap(order_[left - 1], order_[random.below(left)]);
  }
  Round round;
  const std::uint32_t phase = step_ / shards_ * shards_, turn = step_ % shards_;
  for (ShardId s = 0; s < shards_; ++s) round.owned.emplace_back(order_[phase + (s + turn) % shards_]);
  round.last_visits = turn + 1 == shards_;
  const bool adapts = settings_.schedule == RateSchedule::adagrad;
  round.argument = {rate(), adapts && epochs_ == 0 ? 1.0 : 0.0};
  if (++step_ == slices_) {
    round.ends_epoch = true;
    step_ = 0;
    ++epochs_;
  }
  return round;
}

}  // namespace rota::mf
