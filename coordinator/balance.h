// coordinator/balance.h -- finds out whether a worker is slow for long, from how long each computed in the newest
// epochs. What it decides moves shards, and changes no bit of the model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/rounds/shard_hosts.h"

namespace rota {

class Balance {
 public:
  // Shards a second, by worker.
  using Speeds = std::map<std::uint32_t, double>;

  // A span is one epoch or several, in which the slowest worker computed for kSeconds.  A worker is slow if in kSpans
  // spans in a row shards in proportion to the speeds would have taken 1/kGain of the time.
  static constexpr std::size_t kSpans = 5;
  static constexpr double kSeconds = 2, kGain = 1.25;

  // `seconds`: how long each worker computed in an epoch.  If shards are to be shared out again, by which speeds; then
  // twice as many spans are needed the next time, as every move costs a reading and a pause.  What slows a worker
  // down need not show where it computes little: with its shards gone it can look fast, get them back, be slow again.
  // So such moves to and fro come ever more seldom.
  std::optional<Speeds> add(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts);
  // Shards have moved: what was seen before says nothing.
  void clear();

 private:
  std::map<std::uint32_t, double> span_, all_;  // seconds of the span that is not full, and of those before in a row
  std::size_t spans_ = 0, needed_ = kSpans;
};

}  // namespace rota
