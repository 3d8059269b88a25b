// apps/lda/schedule.h -- rotation, and behind it in some epochs a round that learns the priors.
//
// An epoch is one owned round for each slice, a shared round of the totals, and then, in epochs that learn, a round of
// the table of priors; its argument: whether alpha, whether beta is learned.
//
// In the starting pass the rounds of slices have the totals too, so that all shards give their first tokens to topics
// that others do not use for something else: from topics drawn with less knowledge than that of the step before,
// the likelihood stays 1 to 2 % lower for hundreds of epochs.  And the shards take turns at the replicated words.
// A small corpus has all its epochs so: where a topic has few tokens, n_k changes by much within an epoch.
#pragma once
#include "apps/lda/settings.h"
#include "rota/job.h"
#include "rota/rotation.h"

namespace rota::lda {

class LdaSchedule final : public Schedule {
 public:
  LdaSchedule(const Job& job, const Settings& settings, std::uint64_t tokens);

  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override;
  void save(Writer& out) const override { out.put_varint(epoch_); }
  void restore(Reader& in) override;

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
