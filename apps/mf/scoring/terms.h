// apps/mf/scoring/terms.h -- the terms of an evaluation, and the scores computed from them.
#pragma once
#include <vector>

#include "apps/mf/settings.h"
#include "rota/job.h"

namespace rota::mf {

// The objective without the penalty.
const char* objective_of(const Settings& settings);
// That, and with held-out ratings
//   ratings      squared errors, absolute errors, ratings, and how many of those are of unknown users or items
//   labels       log losses, correct ones, ratings, unknown ones
//   --implicit   NDCG, recall and precision at 10, users, and unknown pairs
std::vector<Term> terms_of(const Settings& settings);
std::vector<Score> scores_of(const Settings& settings);

}  // namespace rota::mf
