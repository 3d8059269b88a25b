// apps/mf/sgd/sides.h -- which side moves.
//
// Residents are rows that stay in their shard, visitors are rows in slices, which pass from shard to shard: the items
// and the users, or the other way round.  Resident r is row r / S of shard r mod S.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/settings.h"

namespace rota::mf {

struct Sides {
  RatingCounts counts;
  std::uint32_t residing = kUserSide;

  bool users_move() const { return residing == kItemSide; }
  // The number of ratings of each.
  std::span<const std::uint32_t> residents() const { return counts.of[residing]; }
  std::span<const std::uint32_t> visitors() const { return counts.of[kItemSide - residing]; }
};

// With fewer rows a slice the work of slices is uneven, and an epoch of phases (schedule.h) makes less progress: on 100
// items in 16 slices the best held-out error was 0.6 % higher than with the users in slices.
inline constexpr std::size_t kLeastRows = 32;

inline Sides sides_of(RatingCounts counts, Rotates rotates, std::uint32_t slices) {
  const std::size_t users = counts.of[kUserSide].size(), items = counts.of[kItemSide].size();
  const bool enough = std::min(users, items) >= kLeastRows * slices;
  const bool users_move = rotates == Rotates::users || (rotates == Rotates::automatic && (users < items) == enough);
  return {std::move(counts), users_move ? kItemSide : kUserSide};
}

}  // namespace rota::mf
