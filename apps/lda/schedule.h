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
#include "apps/lda/settings.h"
#include "rota/fields.h"
#include "rota/job.h"
#include "rota/rotation.h"

namespace rota::lda {

class LdaSchedule final : public SavesFields<Schedule, LdaSchedule> {
 public:
  LdaSchedule(const Job& job, const Settings& settings, std::uint64_t tokens);

  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override;
  void fields(auto& list) { list(epoch_); }

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
