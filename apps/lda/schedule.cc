#include "apps/lda/schedule.h"

#include <limits>

namespace rota::lda {

LdaSchedule::LdaSchedule(const Job& job, const Settings& settings)
    : settings_(settings),
      rotation_(job, {.table = kTotals, .totals = {kTopicTotals}, .first_replicated = kFirstReplicated}) {}

Round LdaSchedule::next(Random& random) {
  const bool alpha = settings_.learns_alpha(epoch_), beta = settings_.learns_beta(epoch_);
  Round round;
  if (learns_) {
    round.table = kPriors;
    round.shared = {0};
    round.argument = {alpha ? 1.0 : 0.0, beta ? 1.0 : 0.0};
    round.ends_epoch = true;
    learns_ = false;
  } else {
    round = rotation_.next(random);
    learns_ = round.ends_epoch && (alpha || beta);
    round.ends_epoch = round.ends_epoch && !learns_;
  }
  if (round.ends_epoch) ++epoch_;
  return round;
}

void LdaSchedule::restore(Reader& in) {
  epoch_ = in.get_bounded<Epoch>(std::numeric_limits<Epoch>::max());
}

}  // namespace rota::lda
