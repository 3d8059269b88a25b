// apps/lda/schedule.h -- rotation, followed in some epochs by a round that learns the priors.
//
// An epoch is one owned round for each slice, a shared round of the totals, and then, in epochs that learn, a round of
// the table of priors.  Its argument is whether alpha, and whether beta, is learned.
//
// In the starting pass the rounds of slices include the totals, so that different shards do not use one topic for
// different things: if topics are drawn with less recent totals than those of the previous step, the likelihood stays 1
// to 2 % lower for hundreds of epochs.  And the shards take turns at the replicated words.  A small corpus has all its
// epochs like this: if a topic has few tokens, n_k changes much within an epoch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/settings.h"
#include "rota/fields.h"
#include "rota/job.h"
#include "rota/schedules/rotation.h"
#include "rota/types.h"

namespace rota::lda {

// Whether the corpus has so few tokens that the changes of other shards in a round matter for a shard's next token.
// With 64 shards and 2,000 tokens a topic, epochs without this ended 0.3 % lower; with 4,700 there was no difference.
inline bool is_small(std::uint64_t tokens, std::uint32_t topics) {
  return tokens < std::uint64_t{2500} * topics;
}

// Which shards sample the replicated words in a round of totals: its argument.
//
// In the starting pass a word's first tokens decide its topics.  If all shards drew at once, each from a row without
// tokens, a word would begin with other topics in every shard, and sampling takes very long to correct that.
class Turn {
 public:
  static constexpr std::uint32_t kMostTurns = 64;  // each is a round that all shards wait for

  // Turn `number` of `turns`; number = turns: a round of slices, in which no shard has its turn.
  Turn(std::uint32_t number, std::uint32_t turns) : number_(number), turns_(turns) {}
  // From the result of argument().  Empty, as after the starting pass: all shards at once.
  explicit Turn(std::span<const double> argument) {
    if (argument.size() != 2) return;
    number_ = static_cast<std::uint32_t>(argument[0]);
    turns_ = std::max(1U, static_cast<std::uint32_t>(argument[1]));
  }

  std::vector<double> argument() const { return {static_cast<double>(number_), static_cast<double>(turns_)}; }
  bool is_of(ShardId shard) const { return number_ < turns_ && shard % turns_ == number_; }
  // Whether no round of totals follows in the epoch.
  bool ends_epoch() const { return number_ + 1 == turns_; }

 private:
  std::uint32_t number_ = 0, turns_ = 1;
};

class LdaSchedule final : public Schedule {
 public:
  LdaSchedule(const Job& job, const Settings& settings, std::uint64_t tokens);

  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override;
  void state(Archive& list) override { list(epoch_); }

 private:
  Round next_in_turn(Random& random);

  Settings settings_;
  RotationSchedule rotation_;
  Epoch epoch_ = 0;
  bool learns_ = false;  // the next round is that of the priors
  std::uint32_t shards_;
  bool small_;
  bool has_replicated_ = false;
  std::uint32_t turn_ = 0;  // of this epoch
  Round pass_;              // its round of totals, while shards take turns
};

}  // namespace rota::lda
