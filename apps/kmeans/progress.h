// apps/kmeans/progress.h -- the purpose of each epoch, and the end of the job.
#pragma once
#include <cstdint>
#include <limits>

#include "apps/kmeans/settings.h"
#include "apps/kmeans/talk.h"
#include "rota/bytes.h"

namespace rota::kmeans {

enum class Step : std::uint8_t {
  start,   // new centres; then the sums of all rows
  change,  // rows that have moved change the sums
  sum,     // the sums are computed from all rows
  recall,  // the same, for the clusters of the best start
  end,
};

// A start ends when every row is nearest to the centre of its own cluster, or, if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; but not while there is a row for an empty cluster.
//
// Sums that are changed by differences keep the rounding of all rows that were ever in them: a row of 1e17 that leaves
// takes the last digits of the others with it.  So they are computed from all rows every kSumEvery epochs, and a start
// ends only with an epoch that does so.
class Progress {
 public:
  explicit Progress(const Settings& settings) : settings_(settings) {}

  // The combined reports of all shards at the end of an epoch.
  void add(const Talk& said) {
    const bool fell_little = inertia_ >= 0 && inertia_ - said.inertia < settings_.tolerance * inertia_;
    const bool settled = said.candidates.empty() && (said.moved == 0 || (settings_.tolerance > 0 && fell_little));
    to_move_ = said.moved;
    inertia_ = said.inertia;
    ++epochs_;
    if (step_ == Step::recall)
      step_ = Step::end;
    else if (step_ != Step::change && (settled || epochs_ >= settings_.most_epochs))
      end_start(settled);
    else
      step_ = settled || epochs_ + 1 >= settings_.most_epochs || epochs_ % kSumEvery == 0 ? Step::sum : Step::change;
  }
  Step step() const { return step_; }  // of the next epoch
  bool converged() const { return step_ == Step::end && converged_; }
  std::uint64_t to_move() const { return to_move_; }
  std::uint32_t starts() const { return starts_; }  // that have ended

  void fields(auto& list) {
    list(step_, inertia_, epochs_, starts_, best_inertia_, converged_);
    list.check(step_ <= Step::end && starts_ <= settings_.restarts);
  }

 private:
  static constexpr std::uint64_t kSumEvery = 10;

  void end_start(bool settled) {
    const bool best = inertia_ < best_inertia_ || starts_ == 0;
    if (best) {
      best_inertia_ = inertia_;
      converged_ = settled;
    }
    epochs_ = 0;
    inertia_ = -1;
    step_ = ++starts_ < settings_.restarts ? Step::start : best ? Step::end : Step::recall;
  }

  Settings settings_;
  Step step_ = Step::start;
  double inertia_ = -1;       // after the last epoch of this start; negative if there was none
  std::uint64_t epochs_ = 0;  // of this start
  std::uint32_t starts_ = 0;
  double best_inertia_ = 0;  // of all starts that have ended
  bool converged_ = false;   // whether the best of them did
  std::uint64_t to_move_ = 0;
};

}  // namespace rota::kmeans
