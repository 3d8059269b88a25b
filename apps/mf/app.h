// apps/mf/app.h -- common to the apps of all solvers.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "apps/mf/ratings/shard_ratings.h"
#include "apps/mf/settings.h"
#include "rota/app.h"

namespace rota::mf {

class MfApp : public App {
 public:
  explicit MfApp(const Job& job) : job_(job), settings_(settings_of(job.options)) { check(job.options); }

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override;
  void pack(DataPacker& out) override { RatingSource(job_, settings_, true).pack(out); }
  std::vector<Term> terms() const override;
  std::vector<Score> scores() const override;
  void save_common(Writer& out) const override;

 protected:
  // The shards of the source that are hosted, in their order.
  virtual std::vector<std::unique_ptr<Push>> shards_of(const RatingSource& source, std::span<const ShardId> hosted) = 0;

  const Job& job_;
  Settings settings_;
  std::array<io::Vocabulary, 2> names_;  // of users, of items; empty if they are not needed
};

// als/ and ccd/ have a file each, sgd/ too.
std::unique_ptr<App> als_app(const Job& job);
std::unique_ptr<App> ccd_app(const Job& job);
std::unique_ptr<App> sgd_app(const Job& job);

}  // namespace rota::mf
