// apps/mf/ratings/shard_ratings.h -- the ratings of a job by shard: what all shards know, and what is of one.
#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "apps/mf/ratings/rating_rows.h"
#include "apps/mf/settings.h"
#include "rota/job.h"

namespace rota::mf {

struct Common {
  std::array<std::vector<std::uint32_t>, 2> counts;  // the number of ratings of each user, of each item
  std::array<Names, 2> names;
  std::array<Dealing, 2> dealings;
  RatingStatistics statistics;
  std::uint64_t ratings = 0;
  UnknownRatings unknown;  // of the held-out ones

  std::size_t rows(std::uint32_t side) const { return counts[side].size(); }
  void fields(auto& list) {
    list(counts, names, dealings, statistics, ratings, unknown);
    for (const std::uint32_t side : {kUserSide, kItemSide}) {
      const std::vector<std::uint32_t>& all = counts[side];
      list.check(ratings > 0 && all.size() <= io::kMostWords && names[side].size() == all.size() &&
                 dealings[side].rows == all.size() &&
                 std::accumulate(all.begin(), all.end(), std::uint64_t{0}) == ratings);
    }
  }
};
// All shards have the same facts of the whole data, so each reports all of them.
void report(const Common& common, double deviation, Facts& facts);

struct ShardRatings {
  std::array<RatingRows, 2> of, held_out;  // its users', its items'

  void fields(auto& list) { list(of, held_out); }
  std::uint64_t items() const { return of[kUserSide].partners.size(); }
  // Each row has as many ratings as the counts say, or fewer if those of a pair were added up.
  bool fits(const Common& common, const Job& job, ShardId shard) const;
};

// How an app deals users and items to the shards: in turn, or a range of both.
enum class Deals : std::uint8_t { in_turn, ranges };

// The hosted shards, in their order.  Implicit ratings of a pair are added up in ranges.  Throws NoInput or DataError.
std::vector<ShardRatings> read_shards(const Job& job, const Settings& settings, Deals deals,
                                      std::span<const ShardId> hosted, Common& common);

}  // namespace rota::mf
