// apps/mf/scoring/terms.h -- the terms of an evaluation, and the scores computed from them.
#pragma once
#include <vector>

#include "apps/mf/settings.h"
#include "rota/job.h"

namespace rota::mf {

// The first term is the objective.  With held-out ratings it is followed by others:
//   ratings      squared errors, absolute errors, ratings, and how many of those are of unknown users or items
//   labels       log losses, correct ones, ratings, unknown ones
//   --implicit   NDCG, recall and precision at 10, users, and unknown pairs
// The last one, of the solvers that compute it, is the penalty.
inline constexpr std::size_t kObjective = 0, kFirstError = 1, kSecondError = 2, kValidRatings = 3, kValidUnknown = 4;
inline constexpr std::size_t kValidRankings = 1, kValidUnknownPairs = 5;
inline std::size_t penalty_term(const Settings& settings) {
  return 1 + (!settings.held_out ? kObjective : settings.implicit ? kValidUnknownPairs : kValidUnknown);
}

std::vector<Term> terms_of(const Settings& settings);
std::vector<Score> scores_of(const Settings& settings);

}  // namespace rota::mf
