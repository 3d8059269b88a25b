// apps/mf/sgd/schedule.h -- which shard visits which slice, and at what learning rate.
//
// As in rota/rotation.h every shard visits every slice once an epoch, and no two shards hold the same one.  But the
// slices are dealt into phases of as many as there are shards, again in every epoch; those of a phase go around all
// shards before the next phase begins.  So the rows of a phase have met all their partners before the rows of the next
// one do, and an epoch makes more progress than one in which all rows move a little at a time: on ratings of rank 16
// five epochs of two phases equal six of one, and five of eight phases equal seven.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/mf/settings.h"
#include "rota/job.h"
#include "rota/schedule.h"

namespace rota::mf {

inline constexpr TableId kFactors = 0;
inline constexpr TableId kErrors = 1;  // one row of one number, the losses of an epoch; for the bold driver

// The argument of a round of visits.
inline constexpr std::size_t kRate = 0;       // the learning rate
inline constexpr std::size_t kFirstOnly = 1;  // 1: only the first eight factors move, or 0

// Equal numbers of rows in every slice, the most rated ones far apart.
Cut mixed_cut(const Census& census, std::uint32_t slices);

class MfSchedule final : public Schedule {
 public:
  MfSchedule(const Job& job, const Settings& settings);

  Cut cut(const Census& census, std::uint32_t slices) override;
  std::uint32_t pipeline(std::uint32_t) const override { return drives() ? 1 : 0; }
  Round next(Random& random) override;
  void feedback(const Commit& commit) override;
  std::vector<Figure> figures() override;
  // It never does; but the bold driver must know the errors of an epoch before the next one begins.
  bool may_end_job() const override { return drives(); }
  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  bool drives() const { return settings_.schedule == RateSchedule::bold_driver; }
  double rate() const;
  void end_epoch();

  Settings settings_;
  std::uint32_t shards_, slices_;
  std::vector<SliceId> order_;  // of this epoch
  std::uint32_t step_ = 0;
  Epoch epochs_ = 0;   // finished
  double driven_;      // the bold driver's rate
  double errors_ = 0;  // of the previous epoch, if there is one
  bool compares_ = false;
};

}  // namespace rota::mf
