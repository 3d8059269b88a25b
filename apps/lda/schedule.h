// apps/lda/schedule.h -- rotation, and behind it in some epochs rounds that score the held-out documents and learn the
// priors.
//
// An epoch is one owned round for each slice, a shared round of the totals, and then
//   in epochs that score   a round of the table of scores
//   in epochs that learn   a round of the table of priors; its argument: whether alpha, whether beta is learned
// When the scores say that the best model is some epochs back (EarlyStop), one more epoch follows in which the shards
// put the tokens' topics of that model back; its round of priors learns nothing, and it ends the job.
#pragma once
#include "apps/lda/held_out/early_stop.h"
#include "apps/lda/settings.h"
#include "rota/job.h"
#include "rota/rotation.h"

namespace rota::lda {

class LdaSchedule final : public Schedule {
 public:
  LdaSchedule(const Job& job, const Settings& settings);

  Cut cut(const Census& census, std::uint32_t slices) override { return rotation_.cut(census, slices); }
  // Only scores are heard.
  std::uint32_t pipeline(std::uint32_t) const override { return settings_.held_out ? 1 : 0; }
  Round next(Random& random) override;
  void feedback(const Commit& commit) override;
  std::vector<Figure> figures() override;
  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  enum class Next { rotation, scores, priors };
  bool learns() const;
  Round end(Round round);

  Settings settings_;
  RotationSchedule rotation_;
  EarlyStop early_stop_;
  Epoch epoch_ = 0;
  Next next_ = Next::rotation;
  bool puts_back_ = false;  // this epoch
  bool has_score_ = false;  // of this epoch
  double perplexity_ = 0;
};

}  // namespace rota::lda
