// apps/lda/schedule.h -- rotation, and behind it in some epochs a round that learns the priors.
//
// An epoch is one owned round for each slice, a shared round of the totals, and then, in epochs that learn, a round of
// the table of priors; its argument: whether alpha, whether beta is learned.
#pragma once
#include "apps/lda/settings.h"
#include "rota/job.h"
#include "rota/rotation.h"

namespace rota::lda {

class LdaSchedule final : public Schedule {
 public:
  LdaSchedule(const Job& job, const Settings& settings);

  Cut cut(const Census& census, std::uint32_t slices) override { return rotation_.cut(census, slices); }
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override;
  void save(Writer& out) const override { out.put_varint(epoch_); }
  void restore(Reader& in) override;

 private:
  Settings settings_;
  RotationSchedule rotation_;
  Epoch epoch_ = 0;
  bool learns_ = false;  // the next round is that of the priors
};

}  // namespace rota::lda
