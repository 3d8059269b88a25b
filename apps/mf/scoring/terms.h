// apps/mf/scoring/terms.h -- what an evaluation adds up, and the scores that are made of it.
#pragma once
#include <vector>

#include "apps/mf/settings.h"
#include "rota/job.h"

namespace rota::mf {

// The first term is the objective.  With held-out ratings there are others behind it:
//   of ratings   squared errors, absolute errors, ratings, and how many of those are of users or items that are unknown
//   of labels    log losses, right ones, ratings, unknown ones
//   --implicit   NDCG, recall and precision at 10, users, and unknown pairs
// The last one, of the solvers that know it, is the penalty.
inline constexpr std::size_t kObjective = 0, kFirstError = 1, kSecondError = 2, kValidRatings = 3, kValidUnknown = 4;
inline constexpr std::size_t kValidRankings = 1, kValidUnknownPairs = 5;
inline std::size_t penalty_term(const Settings& settings) {
  return 1 + (!settings.held_out ? kObjective : settings.implicit ? kValidUnknownPairs : kValidUnknown);
}

std::vector<Term> terms_of(const Settings& settings);
std::vector<Score> scores_of(const Settings& settings);

}  // namespace rota::mf
