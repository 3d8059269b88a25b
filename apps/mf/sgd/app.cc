// apps/mf/sgd/app.cc -- mf: matrix factorisation by stochastic gradient descent over slices that rotate.  README.md has
// the mathematics.
#include "apps/mf/app.h"

#include <utility>

#include "apps/mf/commands/commands.h"
#include "apps/mf/sgd/push.h"
#include "apps/mf/sgd/schedule.h"

namespace rota::mf {
namespace {

class SgdApp final : public RatingApp {
 public:
  explicit SgdApp(const Job& job) : RatingApp(job, sgd_settings(job.options), false) {}

  void facts(Facts& facts) const override {
    RatingApp::facts(facts);
    facts.largest("users_move", residing(*common_) == kItemSide ? 1 : 0);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const auto both = facts.count("users") + facts.count("items");
    const double rows = static_cast<double>(both * sizeof(float) * FactorRows::width_of(settings_.rank));
    const double visits = MfPush::kBytesOfVisit * job_.shards * job_.slices;
    return {{.name = "factors",
             .kind = Table::Kind::sliced,
             .memory = rows + visits,
             .sized_by = rows > visits ? "rank" : "shards"}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<MfSchedule>(job_, settings_.loss == Loss::bpr);
  }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<FactorRows>(keys.size(), settings_.rank, settings_.biases);
  }
  void start(const Facts&, SliceId, Slice& rows, std::span<const Key>, Random& random) const override {
    dynamic_cast<FactorRows&>(rows).start(random, settings_.loss);
  }
  bool evaluating_pass() const override { return settings_.held_out; }

 protected:
  std::unique_ptr<Push> push(ShardId shard, ShardRatings ratings) override {
    if (settings_.loss == Loss::logistic && (common_->mean == 0 || common_->mean == 1))
      throw DataError(job_.packed ? job_.packed->name() : job_.input.front(), 0, "all labels are the same");
    const std::uint32_t side = residing(*common_);
    require_dealt(common_->rows(side), job_.shards);
    return std::make_unique<MfPush>(sgd_, common_, side, shard, job_.shards, std::move(ratings));
  }
  bool uses(std::uint32_t side, const AllRatings& all) const override { return side == residing(all.common); }

 private:
  std::uint32_t residing(const Common& common) const {
    return residing_side(common.rows(kUserSide), common.rows(kItemSide), sgd_.rotates, job_.slices);
  }

  const SgdSettings sgd_ = sgd_settings(job_.options);
};

}  // namespace

Plugin sgd_plugin() {
  static constexpr std::string_view kPackedOptions[] = {"format", "separator", "header", "columns", "loss"};
  static constexpr Needs kVisits = {"--loss=squared and logistic",
                                    [](const Options& options) { return options.text("loss") != "bpr"; }};
  static constexpr FrameworkNeeds kNeeds[] = {
      kSynchronousRounds[0], kSynchronousRounds[1], kSynchronousRounds[2], {"step_budget_ms", kVisits}};
  return plugin_of<SgdApp>({.name = "mf",
                            .summary = "matrix factorisation of ratings, for recommendations: SGD",
                            .items = "ratings",
                            .options = declared_options<SgdSettings>(),
                            .slices_per_shard = 8,
                            .packed_format = 6,
                            .packed_options = kPackedOptions,
                            .check = [](const Options& options) { (void)sgd_settings(options); },
                            .framework_needs = kNeeds,
                            .export_text = export_text,
                            .commands = commands()});
}

}  // namespace rota::mf
