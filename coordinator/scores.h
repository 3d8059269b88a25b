// coordinator/scores.h -- what the sums of an evaluation say to people.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/status.h"
#include "core/records/records.h"
#include "rota/job.h"

namespace rota {

// Whether terms and scores have names of their own, and every score is made of terms that there are: else an error, the
// plugin's fault.
Status check_scores(const std::vector<Term>& terms, const std::vector<Score>& scores);

// The score that is `valid`, and that --patience watches; null if none is of held-out data.
const Score* held_out_score(const std::vector<Score>& scores);

// Fills the record's terms, with the scores behind them, the objective, its mean over the items, and `valid`.
// REQUIRES check_scores, and a sum for each term.
void fill_scores(const std::vector<Term>& terms, const std::vector<Score>& scores, std::span<const double> sums,
                 std::uint64_t items, EpochRecord& record);

}  // namespace rota
