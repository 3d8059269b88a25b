// apps/mf/ratings/rating_rows.h -- the ratings of neighbouring users, or of neighbouring items, row after row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/ratings/rating_data.h"
#include "rota/types.h"

namespace rota::mf {

// The two sides: also the numbers of their tables.
inline constexpr std::uint32_t kUserSide = 0, kItemSide = 1;

// A rating in a row: of which item, or by which user.
struct Partner {
  std::uint32_t number;
  float value;
};

struct RatingRows {
  std::uint32_t first = 0;                // row i is that of user, or item, first + i
  std::vector<std::size_t> begins = {0};  // of the rows in partners, and its end
  std::vector<Partner> partners;          // by number within a row; of equal ones in the order of the files

  std::size_t rows() const { return begins.size() - 1; }
  std::size_t ratings(std::size_t i) const { return begins[i + 1] - begins[i]; }
  std::span<const Partner> row(std::size_t i) const { return std::span(partners).subspan(begins[i], ratings(i)); }
};

// Merges ratings of the same partner into their sum; in the order of the partners.
void add_up(std::vector<Partner>& ratings);
// Ranges of about equal work, as of rota/shards.h.
std::vector<std::uint64_t> cut_rows(const std::vector<Rating>& ratings, std::uint32_t side, std::size_t rows,
                                    std::uint32_t shards);
// Those of the hosted shards; `sums`: added up.
std::vector<RatingRows> rating_rows(const std::vector<Rating>& ratings, std::uint32_t side,
                                    const std::vector<std::uint64_t>& cuts, std::span<const ShardId> hosted, bool sums);

}  // namespace rota::mf
