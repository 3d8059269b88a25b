// apps/lda/schedule.h -- rotation, followed in some epochs by a round that learns the priors.
//
// An epoch is one owned round for each slice, a shared round of the totals (its argument is a Turn), and then, in
// epochs that learn, a round of the table of priors (its argument: WhichPriors).
//
// In the starting pass the rounds of slices include the totals, so that different shards do not use one topic for
// different things: if topics are drawn with less recent totals than those of the previous step, the likelihood stays 1
// to 2 % lower for hundreds of epochs.  And the shards take turns at the replicated words.  A small corpus has all its
// epochs like this: if a topic has few tokens, n_k changes much within an epoch.
#pragma once
#include <algorithm>
#include <cstdint>

#include "apps/lda/settings.h"
#include "rota/argument.h"
#include "rota/job.h"
#include "rota/schedules/rotation.h"
#include "rota/types.h"

namespace rota::lda {

// Whether the corpus has so few tokens that the changes of other shards in a round matter for a shard's next token.
// With 64 shards and 2,000 tokens a topic, epochs without this ended 0.3 % lower; with 4,700 there was no difference,
// nor with 8 shards and 470 (bench/RESULTS.md, "Small topics").
inline bool is_small(std::uint64_t tokens, std::uint32_t topics, std::uint32_t shards) {
  return tokens < std::uint64_t{40} * topics * std::max(shards, 8U);
}

// The beta that an epoch samples with, instead of the job's (README.md, "Epochs").
//
// Documents shorter than twice the sum of alpha say little, so the start is left to the words: a small beta in the
// starting pass.  The annealed start leaves it to long documents: a large beta in its first epochs.  Both were
// measured.
inline double sampled_beta(Start start, Epoch epoch, double beta, double document_length, double alpha_sum) {
  constexpr Epoch kAnnealed = 3;
  constexpr double kSmall = 0.001, kLarge = 0.3;
  if (start == Start::annealed && epoch < kAnnealed) return std::max(beta, kLarge);
  if (start == Start::online && epoch == 0 && document_length < 2 * alpha_sum) return std::min(beta, kSmall);
  return beta;
}

// Whether the online start begins with a sample of the documents (shard_tokens.h): a sweep over it costs little, and
// from what its topics learn in a few, all other documents gain.  With few topics its rounds take the time that it
// saves.
inline bool begins_with_sample(const Job& job, const Settings& settings, std::uint64_t tokens) {
  constexpr std::uint32_t kFewTopics = 256;
  return settings.start == Start::online && settings.topics > kFewTopics &&
         !is_small(tokens, settings.topics, job.shards) && !job.options.has("init_model");
}

// The passes of the starting epoch.
enum class Pass : std::uint8_t {
  all,
  sample,        // first topics of the sample's tokens
  sample_again,  // new topics for them
  sample_third,  // the same
  rest,          // first topics of all other tokens
};
constexpr bool ends_start(Pass pass) {
  return pass == Pass::all || pass == Pass::rest;
}

// Which shards sample the replicated words in a round of totals.
//
// In the starting pass a word's first tokens decide its topics.  If all shards drew at once, each from a row without
// tokens, a word would begin with other topics in every shard, and sampling takes very long to correct that.
struct Turn {
  static constexpr std::uint32_t kMostTurns = 64;  // each is a round that all shards wait for

  std::uint32_t number = 0, turns = 1;  // number = turns: a round of slices, in which no shard has its turn
  Pass pass = Pass::all;

  void fields(auto& list) { list(number, turns, pass); }
  bool is_of(ShardId shard) const { return number < turns && shard % turns == number; }
  // Whether no round of totals follows in the pass, or in the epoch.
  bool ends_pass() const { return number + 1 == turns; }
  bool ends_epoch() const { return ends_pass() && ends_start(pass); }
};

class LdaSchedule final : public RotationSchedule {
 public:
  LdaSchedule(const Job& job, const Settings& settings, std::uint64_t tokens)
      : RotationSchedule(job, {.table = kTotals, .totals = {kTopicTotals}, .first_replicated = kFirstReplicated}),
        settings_(settings),
        shards_(job.shards),
        small_(is_small(tokens, settings.topics, job.shards)),
        pass_(begins_with_sample(job, settings, tokens) ? Pass::sample : Pass::all) {}

  Cut cut(const Census& census, std::uint32_t slices) override {
    Cut cut = RotationSchedule::cut(census, slices);
    if (!cut.replicated.empty()) most_turns_ = std::min(shards_, Turn::kMostTurns);
    return cut;
  }
  Round next(Random& random) override {
    const WhichPriors learned = settings_.learned(epoch_);
    const bool shares = epoch_ == 0 || small_;
    const std::uint32_t turns = shares ? most_turns_ : 1;
    const Pass pass = epoch_ == 0 ? pass_ : Pass::all;
    Round round;
    if (turn_ < turns) {
      round = turn_ == 0 ? RotationSchedule::next(random) : totals_;
      if (round.ends_epoch) {  // the round of totals, once for each turn
        totals_ = round;
        round.argument = Argument(Turn{turn_++, turns, pass});
        round.ends_epoch = turn_ == turns && ends_start(pass) && !learned.any();
        if (turn_ == turns && !ends_start(pass)) {
          turn_ = 0;
          pass_ = static_cast<Pass>(static_cast<std::uint8_t>(pass) + 1);
        }
      } else if (shares) {
        round.table = kTotals;
        round.shared = {kTopicTotals};
        round.argument = Argument(Turn{turns, turns, pass});
        round.last_visits = round.last_visits && ends_start(pass);
      }
    } else {
      round.table = kPriors;
      round.shared = {0};
      round.argument = Argument(learned);
      round.ends_epoch = true;
    }
    if (round.ends_epoch) {
      ++epoch_;
      turn_ = 0;
    }
    return round;
  }
  void state(Archive& list) override { list(epoch_); }

 private:
  Settings settings_;
  std::uint32_t shards_;
  bool small_;
  Pass pass_;  // of the starting epoch
  std::uint32_t most_turns_ = 1;
  Epoch epoch_ = 0;
  std::uint32_t turn_ = 0;  // the number of turns that this epoch has had
  Round totals_;            // its round of totals
};

}  // namespace rota::lda
