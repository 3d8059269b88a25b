// apps/mf/sgd/valid_ranking.h -- how high a shard's users rank their held-out items, in training: a slice at a time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/factor_rows.h"
#include "apps/mf/scoring/ranking.h"
#include "apps/mf/sgd/rated_rows.h"
#include "rota/types.h"

namespace rota::mf {

// A user keeps the best of the items visited so far, so the scores need memory in proportion to the held-out items.
class ValidRanking {
 public:
  // Adds a relevant item of a user (a resident of the shard), which is not in its training data; users, and items of a
  // user, ascending.
  void add(std::uint32_t user, std::uint32_t item);
  // Scores the items of a slice, whose keys are their numbers, for all those users except their rated ones.
  void visit(std::span<const Key> keys, const FactorRows& items, const FactorRows& users, const RatedRows& rated);
  // After all slices: adds the users' scores.  Resets the ranking.
  void finish(Terms terms);

 private:
  struct User {
    std::uint32_t row;
    std::vector<std::uint32_t> held_out;
    Best best;
  };
  std::vector<User> users_;
};

}  // namespace rota::mf
