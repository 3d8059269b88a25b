// apps/mf/ratings/shard_ratings.h -- the ratings of a job by shard, from its input or from data by shard.
//
//   common:     ranges: u8 (0 or 1); fields of RatingCounts; with ranges, those of the users and of the items; names of
//               users, and of items: a count of bytes, then a text each
//   of a shard: fields of ShardRatings
#pragma once
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "apps/mf/ratings/rating_rows.h"
#include "apps/mf/settings.h"
#include "rota/job.h"
#include "rota/packed.h"

namespace rota::mf {

struct ShardRatings {
  std::array<RatingRows, 2> of, held_out;  // its users', its items'

  void fields(auto& list) { list(of, held_out); }
};

// sgd deals users and items to the shards in turn; the others give each a range of both.
class RatingSource {
 public:
  // Has the names if `named`.  Throws NoInput, DataError, or UsageError if the data by shard was made for another
  // dealing.
  RatingSource(const Job& job, const Settings& settings, bool named);

  const RatingCounts& counts() const { return counts_; }
  std::array<io::Vocabulary, 2>& names() { return names_; }
  // Throws UsageError if most shards would have no rows of this side.
  void require_filled(std::uint32_t side) const;
  // Of the hosted shards, in their order; of data by shard more than the sides named.  Throws DataError.
  std::vector<ShardRatings> deal(std::span<const ShardId> hosted, std::initializer_list<std::uint32_t> sides) const;
  void pack(DataPacker& out) const;

 private:
  bool read_common(Reader& in, bool named);
  ShardRatings read_shard(Reader& in, ShardId shard) const;
  bool fits(const RatingRows& rows, ShardId shard, std::uint32_t side, bool trained) const;
  bool ranges() const { return settings_.solver != Solver::sgd; }
  bool sums() const { return ranges() && settings_.implicit; }

  const Job& job_;
  const Settings& settings_;
  RatingCounts counts_;
  std::array<io::Vocabulary, 2> names_;
  std::array<Dealing, 2> dealings_;
  std::vector<Rating> trained_, held_out_;  // read from the input
};

}  // namespace rota::mf
