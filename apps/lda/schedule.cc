#include "apps/lda/schedule.h"

#include <cmath>
#include <limits>
#include <utility>

namespace rota::lda {

LdaSchedule::LdaSchedule(const Job& job, const Settings& settings)
    : settings_(settings),
      rotation_(job, {.table = kTotals, .totals = {kTopicTotals}, .first_replicated = kFirstReplicated}),
      early_stop_(settings.patience) {}

bool LdaSchedule::learns() const {
  const bool ever = settings_.learn_alpha > 0 || settings_.learn_beta > 0;
  return puts_back_ ? ever : settings_.learns_alpha(epoch_) || settings_.learns_beta(epoch_);
}

Round LdaSchedule::next(Random& random) {
  Round round;
  if (next_ == Next::rotation) {
    puts_back_ = early_stop_.over();
    round = rotation_.next(random);
    if (!round.ends_epoch) return round;
    next_ = settings_.scores(epoch_) && !puts_back_ ? Next::scores : Next::priors;
  } else if (next_ == Next::scores) {
    round.table = kScores;
    round.shared = {0};
    next_ = Next::priors;
  } else {
    round.table = kPriors;
    round.shared = {0};
    // The best model's priors are known to the shards as soon as the scores are.
    const bool learns = !early_stop_.over();
    round.argument = {learns && settings_.learns_alpha(epoch_) ? 1.0 : 0.0,
                      learns && settings_.learns_beta(epoch_) ? 1.0 : 0.0};
    return end(std::move(round));
  }
  round.ends_epoch = false;
  return next_ == Next::priors && !learns() ? end(std::move(round)) : round;
}

Round LdaSchedule::end(Round round) {
  round.ends_epoch = true;
  round.ends_job = puts_back_;
  next_ = Next::rotation;
  ++epoch_;
  return round;
}

void LdaSchedule::feedback(const Commit& commit) {
  if (commit.table != kScores || commit.deltas.empty()) return;
  const HeldOutScore score{commit.deltas[0].value[0], commit.deltas[0].value[1]};
  early_stop_.add(score);
  perplexity_ = std::exp(-score.log_per_token());
  has_score_ = true;
}

std::vector<Figure> LdaSchedule::figures() {
  if (!std::exchange(has_score_, false)) return {};
  return {{"valid_perplexity", perplexity_},
          {"best_valid_perplexity", std::exp(-early_stop_.best())},
          {"scores_since_best", static_cast<double>(early_stop_.since_best())}};
}

void LdaSchedule::save(Writer& out) const {
  out.put_varint(epoch_);
  early_stop_.save(out);
}

void LdaSchedule::restore(Reader& in) {
  epoch_ = in.get_bounded<Epoch>(std::numeric_limits<Epoch>::max());
  early_stop_.restore(in);
}

}  // namespace rota::lda
