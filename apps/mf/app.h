// apps/mf/app.h -- common to the apps mf, als and ccd.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/mf/ratings/shard_ratings.h"
#include "apps/mf/scoring/terms.h"
#include "apps/mf/settings.h"
#include "rota/packed_app.h"

namespace rota::mf {

class RatingApp : public PackedApp<Common, ShardRatings> {
 public:
  Loaded read(std::span<const ShardId> hosted) const final {
    Loaded loaded;
    loaded.hosted = read_shards(job_, settings_, deals_, hosted, loaded.common);
    return loaded;
  }
  std::vector<Score> scores() const final { return scores_of(settings_); }
  void save_common(Writer& out) const final {
    for (const Names& names : common_->names) names.encode(out);
  }

 protected:
  RatingApp(const Job& job, Settings settings, Deals deals)
      : PackedApp(job), settings_(std::move(settings)), deals_(deals) {}

  const Settings settings_;
  std::shared_ptr<const Common> common_;  // from make_pushes() on

 private:
  Deals deals_;
};

// The apps mf, als and ccd.
Plugin sgd_plugin();
Plugin als_plugin();
Plugin ccd_plugin();

// Rounds of these apps must have seen all commits before them.
inline constexpr Needs kNoFeedback = {"apps whose rounds wait for feedback", never};
inline constexpr FrameworkNeeds kSynchronousRounds[] = {
    {"asynchronous", kNeverLags}, {"staleness", kNeverLags}, {"pipeline", kNoFeedback}};

}  // namespace rota::mf
