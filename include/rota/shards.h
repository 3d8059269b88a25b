// rota/shards.h -- which shard has which data.  A rule must depend on the job alone, so that every process finds the
// same shards, whichever of them it hosts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rota/error.h"
#include "rota/push.h"
#include "rota/types.h"

namespace rota {

// The data of the shards that a process hosts, while it is read: data of other shards is left out.
template <typename Data>
class HostedShards {
 public:
  // `hosted` has each shard once at most.
  HostedShards(std::uint32_t shards, std::span<const ShardId> hosted) : data_(hosted.size()), place_(shards, kNowhere) {
    for (std::size_t i = 0; i < hosted.size(); ++i) place_[hosted[i]] = i;
  }

  // Null if the shard is not hosted here.
  Data* of_shard(ShardId shard) { return place_[shard] == kNowhere ? nullptr : &data_[place_[shard]]; }
  // The simplest rule, which needs no knowledge of the items: item i, from 0, is item i / S of shard i mod S.
  Data* of_item(std::uint64_t item) { return of_shard(static_cast<ShardId>(item % place_.size())); }
  std::uint64_t number_in_shard(std::uint64_t item) const { return item / place_.size(); }

  // In the order asked for.
  std::vector<Data>& all() { return data_; }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  std::vector<Data> data_;
  std::vector<std::size_t> place_;  // of each shard, in data_
};

// The Push of every shard hosted here, made from its data and from what all have in common.
template <typename P, typename Data, typename... Common>
std::vector<std::unique_ptr<Push>> make_pushes(HostedShards<Data>& shards, const Common&... common) {
  std::vector<std::unique_ptr<Push>> pushes;
  for (Data& data : shards.all()) pushes.push_back(std::make_unique<P>(std::move(data), common...));
  return pushes;
}

// How many of the items a shard has by the rule above.
inline std::uint64_t dealt_to(ShardId shard, std::uint64_t items, std::uint32_t shards) {
  return items / shards + (shard < items % shards ? 1 : 0);
}

// Ranges of consecutive items: the first item of every shard, and at the end the number of items.  Their sizes differ
// by at most one: shard s begins at item s n / S.  REQUIRES: items * shards fits into 64 bits.
inline std::vector<std::uint64_t> cut_evenly(std::uint64_t items, std::uint32_t shards) {
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t s = 0; s <= shards; ++s) cuts.push_back(items * s / shards);
  return cuts;
}

// The same for items of different cost: shard s begins where s / S of all work is done.  Ranges may be empty.
inline std::vector<std::uint64_t> cut_by_work(std::span<const std::uint64_t> work, std::uint32_t shards) {
  double all = 0, done = 0;
  for (const std::uint64_t one : work) all += static_cast<double>(one);
  std::vector<std::uint64_t> cuts = {0};
  for (std::size_t i = 0; i < work.size(); ++i) {
    while (cuts.size() < shards && done >= all * static_cast<double>(cuts.size()) / shards) cuts.push_back(i);
    done += static_cast<double>(work[i]);
  }
  cuts.resize(shards + std::size_t{1}, work.size());
  return cuts;
}

// Each shard costs memory and messages, even an empty one.  So a job with more than a few is refused if most of them
// have no data.  Returns the message, or "".  `filled`: the number of shards with data.
inline std::string too_many_shards(std::uint64_t filled, std::uint32_t shards) {
  constexpr std::uint32_t kFew = 256;  // an app's own choice for little data
  if (shards <= kFew || filled >= shards - shards / 2) return {};
  return "--shards=" + std::to_string(shards) + ": " + std::to_string(shards - filled) +
         " of them have no data: the input is too small for this number of shards";
}

// For load(), when it knows the data and before it allocates anything for a shard.  Throws UsageError.
inline void require_filled(std::uint64_t filled, std::uint32_t shards) {
  if (const std::string wrong = too_many_shards(filled, shards); !wrong.empty()) throw UsageError(wrong);
}

// Of items that are dealt one by one.
inline void require_dealt(std::uint64_t items, std::uint32_t shards) {
  require_filled(std::min<std::uint64_t>(items, shards), shards);
}

// Of ranges, as cut_evenly() and cut_by_work() give them.
inline void require_cut(std::span<const std::uint64_t> cuts) {
  const auto shards = static_cast<std::uint32_t>(cuts.size() - 1);
  std::uint64_t filled = 0;
  for (std::uint32_t s = 0; s < shards; ++s) filled += cuts[s] < cuts[s + std::size_t{1}] ? 1 : 0;
  require_filled(filled, shards);
}

}  // namespace rota
