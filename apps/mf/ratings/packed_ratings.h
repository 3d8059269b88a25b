// apps/mf/ratings/packed_ratings.h -- ratings as data by shard.  What a shard is depends on the solver: --solver=sgd
// deals users or items to the shards in turn, and --rotate says which; the others give each a range of both.
//
//   common:     kind: u8 (0 dealt, 1 ranges); names of users, and of items: a count of bytes, then a text each
//               ratings of each user, and of each item: a count, then a varint each
//               mean, deviation, origin of the values: f64; ratings: varint; held-out ratings of unknown users or
//               items: count: varint, sum, squared errors, absolute errors: f64 ranges: the first user of every shard
//               and behind the last their number, and likewise the items: varints
//   of a shard, dealt: four lists of ratings in the order of the files: those of its users, the held-out ones of its
//               users, those of its items, the held-out ones of its items, each a count of bytes, then a count, then
//               for each rating: user, item: varints; value: f32
//   of a shard, ranges: rows of its users, of its items, held-out ones of its users, each
//               how many ratings each row has: varints; a count, then for each rating: the other's number: u32, f32
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/ratings/rating_rows.h"
#include "rota/packed.h"

namespace rota::mf {

// How many ratings each user and each item has, and what else all shards know alike.
struct RatingCounts {
  std::vector<std::uint32_t> users, items;  // of each its ratings
  RatingStatistics statistics;
  std::uint64_t ratings = 0;
  UnknownRatings unknown;  // of the held-out ones
};
RatingCounts counts_of(const RatingData& data, const UnknownRatings& unknown);

// What a shard is.
enum class Dealing : std::uint8_t {
  dealt,   // user u belongs to shard u mod S, or item i to shard i mod S
  ranges,  // of users and of items, of about equal work
};
struct DealtRatings {
  std::vector<Rating> trained, held_out;  // in the order of the files
};
struct RangeRatings {
  RatingRows of[2];     // its users' and its items'
  RatingRows held_out;  // its users'
};

void pack_dealt(const RatingData& data, const HeldOutRatings& held_out, std::uint32_t shards, DataPacker& out);
// `sums`: as of rating_rows().
void pack_ranges(const RatingData& data, const HeldOutRatings& held_out, bool sums, std::uint32_t shards,
                 DataPacker& out);

// What these two wrote.
class PackedRatings {
 public:
  // Names are there if `named`.  Throws DataError; UsageError if shards are something else.
  PackedRatings(const PackedData& packed, std::uint32_t shards, Dealing dealing, bool named);

  const RatingCounts& counts() const { return counts_; }
  io::Vocabulary& users() { return users_; }
  io::Vocabulary& items() { return items_; }

  DealtRatings dealt(ShardId shard, std::uint32_t side) const;
  RangeRatings ranges(ShardId shard) const;

 private:
  bool read_common(Reader& in, Dealing dealing, bool named);
  RatingRows read_rows(Reader& in, ShardId shard, std::uint32_t side) const;
  const std::vector<std::uint32_t>& counts(std::uint32_t side) const {
    return side == kUserSide ? counts_.users : counts_.items;
  }

  const PackedData& packed_;
  std::uint32_t shards_;
  RatingCounts counts_;
  io::Vocabulary users_, items_;
  std::vector<std::uint64_t> cuts_[2];  // of ranges
};

}  // namespace rota::mf
