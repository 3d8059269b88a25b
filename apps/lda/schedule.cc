#include "apps/lda/schedule.h"

#include <algorithm>

namespace rota::lda {

LdaSchedule::LdaSchedule(const Job& job, const Settings& settings, std::uint64_t tokens)
    : settings_(settings),
      rotation_(job, {.table = kTotals, .totals = {kTopicTotals}, .first_replicated = kFirstReplicated}),
      shards_(job.shards),
      small_(is_small(tokens, settings.topics)) {}

Cut LdaSchedule::cut(const Census& census, std::uint32_t slices) {
  Cut cut = rotation_.cut(census, slices);
  has_replicated_ = !cut.replicated.empty();
  return cut;
}

Round LdaSchedule::next_in_turn(Random& random) {
  const std::uint32_t turns = has_replicated_ ? std::min(shards_, Turn::kMostTurns) : 1;
  if (turn_ == 0) pass_ = rotation_.next(random);
  Round round = pass_;
  if (!round.ends_epoch) {
    round.table = kTotals;
    round.shared = {kTopicTotals};
    round.argument = Turn(turns, turns).argument();
    return round;
  }
  const Turn turn(turn_++, turns);
  round.argument = turn.argument();
  round.ends_epoch = turn.ends_epoch();
  if (round.ends_epoch) turn_ = 0;
  return round;
}

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
    round = epoch_ == 0 || small_ ? next_in_turn(random) : rotation_.next(random);
    learns_ = round.ends_epoch && (alpha || beta);
    round.ends_epoch = round.ends_epoch && !learns_;
  }
  if (round.ends_epoch) ++epoch_;
  return round;
}

}  // namespace rota::lda
