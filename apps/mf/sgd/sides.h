// apps/mf/sgd/sides.h -- common data of the shards of a process about the ratings, and which side moves.
//
// Residents are rows that stay in their shard, visitors are rows in slices, which pass from shard to shard: the items
// and the users, or the other way round.  Resident r is row r / S of shard r mod S.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/mf/ratings/packed_ratings.h"
#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/settings.h"

namespace rota::mf {

struct Sides {
  bool users_move = false;
  std::uint32_t residents = 0, visitors = 0;
  std::vector<std::uint32_t> resident_ratings, visitor_ratings;  // the number of ratings of each
  RatingStatistics statistics;
  std::uint64_t ratings = 0;
  UnknownRatings unknown;  // of the held-out ones

  std::uint32_t resident(const Rating& one) const { return users_move ? one.item : one.user; }
  std::uint32_t visitor(const Rating& one) const { return users_move ? one.user : one.item; }
};

// With fewer rows a slice the work of slices is uneven, and an epoch of phases (schedule.h) makes less progress: on 100
// items in 16 slices the best held-out error was 0.6 % higher than with the users in slices.
inline constexpr std::size_t kLeastRows = 32;

inline Sides sides_of(RatingCounts counts, Rotates rotates, std::uint32_t slices) {
  Sides sides;
  const bool fewer_users = counts.users.size() < counts.items.size();
  const bool enough = std::min(counts.users.size(), counts.items.size()) >= kLeastRows * slices;
  sides.users_move = rotates == Rotates::users || (rotates == Rotates::automatic && fewer_users == enough);
  sides.resident_ratings = std::move(sides.users_move ? counts.items : counts.users);
  sides.visitor_ratings = std::move(sides.users_move ? counts.users : counts.items);
  sides.residents = static_cast<std::uint32_t>(sides.resident_ratings.size());
  sides.visitors = static_cast<std::uint32_t>(sides.visitor_ratings.size());
  sides.statistics = counts.statistics;
  sides.ratings = counts.ratings;
  sides.unknown = counts.unknown;
  return sides;
}

}  // namespace rota::mf
