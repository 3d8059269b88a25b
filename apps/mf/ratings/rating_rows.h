// apps/mf/ratings/rating_rows.h -- the ratings of the users, or of the items, of a shard, row after row.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/ratings/rating_data.h"
#include "rota/shards.h"
#include "rota/types.h"

namespace rota::mf {

// A rating in a row: of which item, or by which user.
struct Partner {
  std::uint32_t number;
  float value;
  void fields(auto& list) { list(number, value); }
};

struct RatingRows {
  std::uint32_t first = 0, step = 1;      // row i is that of user, or item, first + i step
  std::vector<std::size_t> begins = {0};  // of the rows in partners, and its end
  std::vector<Partner> partners;          // of a row in the order of the files; in ranges by number before that

  std::size_t rows() const { return begins.size() - 1; }
  std::size_t number(std::size_t i) const { return first + i * step; }
  std::size_t ratings(std::size_t i) const { return begins[i + 1] - begins[i]; }
  std::span<const Partner> row(std::size_t i) const { return std::span(partners).subspan(begins[i], ratings(i)); }
  void fields(auto& list) { list(first, step, begins, partners); }
};

// Which of the users, or items, are whose.
struct Dealing {
  std::uint32_t shards = 1;
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> cuts;  // the range of each shard, as of rota/shards.h; if empty, row r is of shard r mod S

  bool ranges() const { return !cuts.empty(); }
  std::uint64_t count(ShardId shard) const {
    return ranges() ? cuts[shard + std::size_t{1}] - cuts[shard] : dealt_to(shard, rows, shards);
  }
  std::uint64_t first(ShardId shard) const { return ranges() ? cuts[shard] : shard; }
  std::uint32_t step() const { return ranges() ? 1 : shards; }
  // How many shards have rows.
  std::uint64_t filled() const;
  void fields(auto& list) {
    list(shards, rows, cuts);
    list.check(shards > 0);
    list.check(!ranges() || (cuts.size() == shards + std::size_t{1} && cuts.front() == 0 && cuts.back() == rows &&
                             std::is_sorted(cuts.begin(), cuts.end())));
  }
};
// Ranges of about equal work, for these numbers of ratings.
Dealing deal_ranges(std::span<const std::uint32_t> ratings, std::uint32_t shards);

// Merges ratings of the same partner into their sum; in the order of the partners.
void add_up(std::vector<Partner>& ratings);
// Those of the hosted shards; `sums`: added up.
std::vector<RatingRows> rating_rows(const std::vector<Rating>& ratings, std::uint32_t side, const Dealing& dealing,
                                    std::span<const ShardId> hosted, bool sums);

}  // namespace rota::mf
