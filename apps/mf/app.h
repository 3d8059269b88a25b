// apps/mf/app.h -- common to the apps mf, als and ccd: their data, and what an evaluation of a model adds up.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/mf/ratings.h"
#include "rota/packed_app.h"

namespace rota::mf {

// The terms and scores of an evaluation.
class Metrics {
 public:
  explicit Metrics(const Settings& settings) {
    constexpr auto kRoot = Score::Scale::root_mean, kMean = Score::Scale::mean;
    constexpr auto kLess = Score::Better::smaller, kMore = Score::Better::larger;
    const bool labels = settings.loss == Loss::logistic;
    const std::string objective = objective_of(settings);
    terms = {{objective, Term::Kind::objective}};
    if (settings.loss == Loss::bpr) scores = {{"bpr_loss", objective}};
    if (labels) scores = {{"log_loss", objective}};
    if (settings.kind() == RatingKind::ratings) scores = {{"rmse", objective, "", kRoot}};
    if (!settings.held_out) return;
    const std::string count = settings.implicit ? "valid_users" : "valid_ratings";
    const auto add = [&](const char* score, const char* term, Score::Scale scale, Score::Better better) {
      terms.push_back({term});
      scores.push_back({score, term, count, scale, better, true});
    };
    if (settings.implicit) {
      add("valid_ndcg", "valid_ndcg_sum", kMean, kMore);
      add("valid_recall", "valid_recall_sum", kMean, kMore);
      add("valid_precision", "valid_precision_sum", kMean, kMore);
    } else if (labels) {
      add("valid_log_loss", "valid_log_losses", kMean, kLess);
      add("valid_accuracy", "valid_right", kMean, kMore);
    } else {
      add("valid_rmse", "valid_squared_errors", kRoot, kLess);
      add("valid_mae", "valid_absolute_errors", kMean, kLess);
    }
    terms.push_back({count});
    terms.push_back({"valid_unknown"});
  }

  // The objective without the penalty.
  static const char* objective_of(const Settings& settings) {
    if (settings.loss == Loss::logistic) return "log_losses";
    if (settings.loss == Loss::bpr) return "bpr_losses";
    return settings.implicit ? "weighted_squared_errors" : "squared_errors";
  }

  std::vector<Term> terms;
  std::vector<Score> scores;
};

class RatingApp : public PackedApp<Common, ShardRatings> {
 public:
  Loaded read(std::span<const ShardId> hosted) const final {
    AllRatings all = read_ratings(job_.input, job_.valid, settings_.form, settings_.kind());
    if (ranges_) cut_ranges(all.common, job_.shards);
    const std::array<bool, 2> sides = {packing() || uses(kUserSide, all), packing() || uses(kItemSide, all)};
    std::vector<ShardRatings> shards =
        deal(all, job_.shards, hosted, sides, ranges_ && settings_.implicit, ranges_ && !packing());
    return {std::move(all.common), std::move(shards)};
  }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) final {
    if (loaded.common.cuts[kUserSide].empty() == ranges_) throw DataError(job_.packed->name(), 0, "damaged");
    common_ = std::make_shared<const Common>(std::move(loaded.common));
    std::vector<std::unique_ptr<Push>> pushes;
    for (std::size_t i = 0; i < hosted.size(); ++i) pushes.push_back(push(hosted[i], std::move(loaded.hosted[i])));
    return pushes;
  }
  std::vector<Term> terms() const override { return Metrics(settings_).terms; }
  std::vector<Score> scores() const final { return Metrics(settings_).scores; }
  void facts(Facts& facts) const override {
    facts.largest("users", static_cast<double>(common_->rows(kUserSide)));
    facts.largest("items", static_cast<double>(common_->rows(kItemSide)));
    facts.largest("ratings", static_cast<double>(common_->ratings));
    facts.largest("mean", common_->mean);
    facts.largest("deviation", common_->deviation);
  }
  void save_common(Writer& out) const final { write_fields(out, common_->names); }

 protected:
  // `ranges`: of users and items, for each shard; else they are dealt in turn, and ratings of a pair are not added up.
  RatingApp(const Job& job, Settings settings, bool ranges)
      : PackedApp(job), settings_(std::move(settings)), ranges_(ranges) {}
  virtual std::unique_ptr<Push> push(ShardId shard, ShardRatings ratings) = 0;
  // Whether push() needs the ratings of the shard's users, or of its items.
  virtual bool uses(std::uint32_t /*side*/, const AllRatings&) const { return true; }

  const Settings settings_;
  std::shared_ptr<const Common> common_;  // from make_pushes() on

 private:
  bool ranges_;
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
