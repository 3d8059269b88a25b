// apps/mf/scoring/valid_ranking.h -- how high a shard's users rank the held-out items, some items at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "apps/mf/factor_rows.h"
#include "apps/mf/scoring/top_items.h"
#include "apps/mf/sgd/rated_rows.h"
#include "rota/types.h"

namespace rota::mf {

inline constexpr std::size_t kValidTop = 10;  // the length of the list

struct ItemRows {
  std::span<const Key> numbers;
  const float* factors;  // `width` of each, a multiple of kLanes
  std::size_t width;
  std::span<const float> biases;
};

// A user keeps the best of the items visited so far, so the scores need memory in proportion to the held-out items.
class ValidRanking {
 public:
  // Adds a relevant item of a user (a row of the shard), which is not in its training data; users ascending.
  void add(std::uint32_t user, std::uint32_t item);
  // Scores the items of a slice for all those users except their rated ones.  `items`: the numbers of its rows.
  void visit(const FactorRows& users, const RatedRows& rated, const FactorRows& slice, std::span<const Key> items);
  // The same for any items; `put` copies a user's row of factors, and `seen` returns the places of its rated ones among
  // them, ascending.
  void visit(const ItemRows& items, const std::function<void(std::uint32_t user, float* row)>& put,
             const std::function<std::span<const std::uint32_t>(std::uint32_t user)>& seen);
  // After all items: adds the sums over the users of NDCG, recall and precision, and their number.  Resets the ranking.
  void finish(std::span<double> sums);

 private:
  struct User {
    std::uint32_t row;
    std::vector<std::uint32_t> held_out;
    Best best;
  };
  std::vector<User> users_;
};

}  // namespace rota::mf
