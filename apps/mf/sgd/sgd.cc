#include "apps/mf/sgd/sgd.h"

#include <algorithm>
#include <utility>

#include "apps/mf/ratings/packed_ratings.h"
#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/scoring/terms.h"
#include "apps/mf/settings.h"
#include "apps/mf/sgd/push.h"
#include "apps/mf/sgd/schedule.h"
#include "apps/mf/sgd/sides.h"
#include "rota/error.h"
#include "rota/shards.h"

namespace rota::mf {
namespace {

class SgdApp final : public App {
 public:
  explicit SgdApp(const Job& job) : job_(job), settings_(settings_of(job.options)) { check(job.options); }

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    return job_.packed == nullptr ? load_text(hosted) : load_packed(hosted);
  }
  void pack(DataPacker& out) override {
    const RatingData data = read_ratings(job_.input, settings_.format, settings_.kind());
    pack_dealt(data, read_held_out(job_.valid, settings_.format, data, settings_.kind()), job_.shards, out);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const auto both = facts.count("users") + facts.count("items");
    const double rows = static_cast<double>(both) * static_cast<double>(FactorRows::bytes_of_row(settings_.rank));
    const double visits = MfPush::kBytesOfVisit * job_.shards * job_.slices;
    std::vector<Table> tables = {{.name = "factors",
                                  .kind = Table::Kind::sliced,
                                  .memory = rows + visits,
                                  .sized_by = rows > visits ? "rank" : "shards"}};
    if (settings_.schedule == RateSchedule::bold_driver)
      tables.push_back({.name = "errors", .keys = 1, .row_width = 1, .part_width = 1});
    return tables;
  }
  std::vector<Term> terms() const override { return terms_of(settings_); }
  std::vector<Score> scores() const override { return scores_of(settings_); }
  bool evaluating_pass() const override { return settings_.held_out; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<MfSchedule>(job_, settings_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<FactorRows>(keys.size(), settings_.rank, settings_.biases);
  }
  void start(const Facts&, SliceId, Slice& rows, std::span<const Key>, Random& random) const override {
    dynamic_cast<FactorRows&>(rows).start(random);
  }
  void save_common(Writer& out) const override {
    write_names(users_, out);
    write_names(items_, out);
  }

 private:
  using ShardRatings = std::vector<ShardRating>;

  std::vector<std::unique_ptr<Push>> load_text(std::span<const ShardId> hosted) {
    RatingData data = read_ratings(job_.input, settings_.format, settings_.kind());
    const HeldOutRatings held_out = read_held_out(job_.valid, settings_.format, data, settings_.kind());
    const auto sides = shared_sides(counts_of(data, held_out.unknown), job_.input.front());
    require_dealt(sides->residents, job_.shards);
    auto trained = of_shards(data.ratings, *sides, hosted), scored = of_shards(held_out.known, *sides, hosted);
    users_ = std::move(data.users);
    items_ = std::move(data.items);
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      out.push_back(push(hosted[i], sides, std::move(trained.all()[i]), std::move(scored.all()[i])));
    return out;
  }
  std::vector<std::unique_ptr<Push>> load_packed(std::span<const ShardId> hosted) {
    const bool named = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end();
    PackedRatings packed(*job_.packed, job_.shards, Dealing::dealt, named);
    const auto sides = shared_sides(packed.counts(), job_.packed->name());
    users_ = std::move(packed.users());
    items_ = std::move(packed.items());
    std::vector<std::unique_ptr<Push>> out;
    for (const ShardId shard : hosted) {
      const ShardId only[] = {shard};
      const DealtRatings ratings = packed.dealt(shard, sides->users_move ? kItemSide : kUserSide);
      out.push_back(push(shard, sides, std::move(of_shards(ratings.trained, *sides, only).all().front()),
                         std::move(of_shards(ratings.held_out, *sides, only).all().front())));
    }
    return out;
  }
  // `file` is named in errors of the data as a whole.
  std::shared_ptr<const Sides> shared_sides(RatingCounts counts, const std::string& file) const {
    if (settings_.loss != Loss::squared) counts.statistics.deviation = 1;
    if (settings_.loss == Loss::logistic && (counts.statistics.mean == 0 || counts.statistics.mean == 1))
      throw DataError(file, 0, "all labels are the same");
    return std::make_shared<const Sides>(sides_of(std::move(counts), settings_.rotates, job_.slices));
  }
  std::unique_ptr<Push> push(ShardId shard, const std::shared_ptr<const Sides>& sides, ShardRatings trained,
                             ShardRatings scored) const {
    return std::make_unique<MfPush>(shard, job_.shards, settings_, sides, std::move(trained), std::move(scored));
  }
  HostedShards<std::vector<ShardRating>> of_shards(const std::vector<Rating>& ratings, const Sides& sides,
                                                   std::span<const ShardId> hosted) const {
    HostedShards<std::vector<ShardRating>> shards(job_.shards, hosted);
    for (const Rating& one : ratings)
      if (auto* const shard = shards.of_item(sides.resident(one)))
        shard->push_back(
            {static_cast<std::uint32_t>(shards.number_in_shard(sides.resident(one))), sides.visitor(one), one.value});
    return shards;
  }

  const Job& job_;
  Settings settings_;
  io::Vocabulary users_, items_;
};

}  // namespace

std::unique_ptr<App> sgd_app(const Job& job) {
  return std::make_unique<SgdApp>(job);
}

}  // namespace rota::mf
