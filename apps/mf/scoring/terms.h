// apps/mf/scoring/terms.h -- what an evaluation adds up, and the scores that are made of it.
#pragma once
#include <vector>

#include "apps/mf/settings.h"
#include "rota/job.h"

namespace rota::mf {

// The terms of an evaluation.  Of ratings that are held out, the middle ones, if there are such.
enum TermId { kSquaredErrors, kValidSquaredErrors, kValidAbsoluteErrors, kValidRatings, kValidUnknown };
// Of the solvers that know it: the last one.
inline std::size_t penalty_term(const Settings& settings) {
  return settings.held_out ? kValidUnknown + 1 : kSquaredErrors + 1;
}

std::vector<Term> terms_of(const Settings& settings);
std::vector<Score> scores_of(const Settings& settings);

}  // namespace rota::mf
