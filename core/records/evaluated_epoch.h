// core/records/evaluated_epoch.h -- what the sums of an evaluation say: the record of its epoch, and the best epoch.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/records/records.h"
#include "rota/job.h"

namespace rota {

// Whether terms and scores have names of their own, and every score is made of terms that there are: else an error, the
// plugin's fault.
Status check_scores(const std::vector<Term>& terms, const std::vector<Score>& scores);

// A usage error of a job with held-out data whose app has no score of it.
Status check_held_out(const std::string& app, const std::vector<Score>& scores);

// The score that is `valid`, and that --patience watches; null if none is of held-out data.
const Score* held_out_score(const std::vector<Score>& scores);

// Fills the record's terms, with the scores after them, the objective, its mean over the items, and `valid`.
// REQUIRES check_scores, and a sum for each term.
void fill_scores(const std::vector<Term>& terms, const std::vector<Score>& scores, std::span<const double> sums,
                 std::uint64_t items, EpochRecord& record);

// Follows the score of held-out data from evaluation to evaluation (--patience).
class BestEpoch {
 public:
  // `patience`: evaluations without a better score that end the job; 0: nothing is followed.  `known`: from what was
  // resumed.
  explicit BestEpoch(std::uint32_t patience, std::optional<BestSoFar> known = {})
      : patience_(patience), best_(patience > 0 ? known : std::nullopt) {}

  bool follows() const { return patience_ > 0; }
  // Takes the next evaluation's score.  True if it is the best so far.  One that equals the best is not.
  bool add(Epoch epoch, double valid, Score::Better better);
  // It was long enough not the best.
  bool over() const { return best_ && best_->since >= patience_; }
  const std::optional<BestSoFar>& best() const { return best_; }

 private:
  std::uint32_t patience_;
  std::optional<BestSoFar> best_;
};

}  // namespace rota
