// apps/mf/sgd/schedule.h -- which shard visits which slice, and at what learning rate.
//
// As in rota/schedules/rotation.h every shard visits every slice once an epoch, and no two shards hold the same one.
// But the slices are dealt into phases of as many as there are shards, again in every epoch; those of a phase go around
// all shards before the next phase begins.  So the rows of a phase have met all their partners before the rows of the
// next one do, and an epoch makes more progress than one in which all rows move a little at a time: on ratings of rank
// 16 five epochs of two phases equal six of one, and five of eight phases equal seven.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/mf/sgd/settings.h"
#include "rota/fields.h"
#include "rota/job.h"
#include "rota/schedule.h"

namespace rota::mf {

// The argument of a round.
inline constexpr std::size_t kRate = 0;       // the learning rate
inline constexpr std::size_t kFirstOnly = 1;  // 1: only the first eight factors move, or 0

// Equal numbers of rows in every slice, the most rated ones far apart.
Cut mixed_cut(const Census& census, std::uint32_t slices);

class MfSchedule final : public Schedule {
 public:
  MfSchedule(const Job& job, const SgdSettings& settings)
      : settings_(settings), shards_(job.shards), slices_(job.slices), order_(job.slices) {}

  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override;
  void state(Archive& list) override { list(epochs_); }

 private:
  double rate() const;

  SgdSettings settings_;
  std::uint32_t shards_, slices_;
  std::vector<SliceId> order_;  // of this epoch
  std::uint32_t step_ = 0;
  Epoch epochs_ = 0;  // finished
};

}  // namespace rota::mf
