// coordinator/best_epoch.h -- follows the score of held-out data from evaluation to evaluation (--patience).
#pragma once
#include <cstdint>
#include <optional>

#include "core/records/records.h"
#include "rota/job.h"

namespace rota {

class BestEpoch {
 public:
  // `patience`: evaluations without a better score that end the job; 0: nothing is followed.  `known`: from what was
  // resumed.
  explicit BestEpoch(std::uint32_t patience, std::optional<BestSoFar> known = {})
      : patience_(patience), best_(patience > 0 ? known : std::nullopt) {}

  bool follows() const { return patience_ > 0; }
  // Takes the next evaluation's score, and tells whether it is the best so far.  One that equals the best is not.
  bool add(Epoch epoch, double valid, Score::Better better);
  // It was long enough not the best.
  bool over() const { return best_ && best_->since >= patience_; }
  const std::optional<BestSoFar>& best() const { return best_; }

 private:
  std::uint32_t patience_;
  std::optional<BestSoFar> best_;
};

}  // namespace rota
