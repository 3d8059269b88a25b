// apps/mf/alternating/app.h -- common to the apps of als/ and ccd/.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "apps/mf/alternating/push.h"
#include "rota/app.h"

namespace rota::mf {

class AlternatingApp : public App {
 public:
  explicit AlternatingApp(const Job& job) : job_(job), settings_(settings_of(job.options)) { check(job.options); }

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override;
  void pack(DataPacker& out) override;
  std::vector<Term> terms() const override;
  std::vector<Score> scores() const override;
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key>) const override;
  void save_common(Writer& out) const override;

 protected:
  virtual std::unique_ptr<Push> push(std::shared_ptr<WholeData> whole, ShardRatings ratings) const = 0;

  const Job& job_;
  Settings settings_;

 private:
  // Of the hosted shards, in their order; sets `counts` for all shards.
  std::vector<ShardRatings> load_text(std::span<const ShardId> hosted, RatingCounts& counts);
  std::vector<ShardRatings> load_packed(std::span<const ShardId> hosted, RatingCounts& counts);

  io::Vocabulary users_, items_;
};

}  // namespace rota::mf
