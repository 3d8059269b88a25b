// apps/mf/ratings/packed_ratings.h -- ratings as data by shard.  The kind of shards depends on the solver: --solver=sgd
// deals users or items to the shards in turn, as --rotate chooses; the others give each a range of both.
//
//   common:     kind: u8 (0 dealt, 1 ranges); names of users, and of items: a count of bytes, then a text each
//               ratings of each user, and of each item: a count, then a varint each
//               mean, deviation, origin of the values: f64; ratings: varint
//               held-out ratings of unknown users or items: count: varint, sum, squared errors, absolute errors: f64
//               ranges: the first user of every shard and at the end their number, and the same for items: varints
//   of a shard, dealt: four lists of ratings in the order of the files: those of its users, the held-out ones of its
//               users, those of its items, the held-out ones of its items, each a count of bytes, then a count, then
//               for each rating: user, item: varints; value: f32
//   of a shard, ranges: rows of its users, of its items, held-out ones of its users, each
//               the number of ratings of each row: varints; a count, then for each rating: the other's number: u32, f32
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/ratings/rating_rows.h"
#include "rota/packed.h"

namespace rota::mf {

// The numbers of ratings of each user and each item, and other common data of all shards.
struct RatingCounts {
  std::vector<std::uint32_t> users, items;  // of each its ratings
  RatingStatistics statistics;
  std::uint64_t ratings = 0;
  UnknownRatings unknown;  // of the held-out ones
};
RatingCounts counts_of(const RatingData& data, const UnknownRatings& unknown);

// The kind of shards.
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
// `sums`: as for rating_rows().
void pack_ranges(const RatingData& data, const HeldOutRatings& held_out, bool sums, std::uint32_t shards,
                 DataPacker& out);

// Reads what these two wrote.
class PackedRatings {
 public:
  // Has names if `named`.  Throws DataError; UsageError if the shards are of the other kind.
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
