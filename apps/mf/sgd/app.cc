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
  explicit SgdApp(const Job& job) : RatingApp(job, sgd_settings(job.options), Deals::in_turn) {}

  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId>, Random&) override {
    common_ = std::make_shared<const Common>(std::move(loaded.common));
    const RatingStatistics& all = common_->statistics;
    if (settings_.loss == Loss::logistic && (all.mean == 0 || all.mean == 1))
      throw DataError(job_.packed ? job_.packed->name() : job_.input.front(), 0, "all labels are the same");
    const Sides sides{common_, settings_.loss == Loss::squared ? all.deviation : 1,
                      residing_side(common_->rows(kUserSide), common_->rows(kItemSide), sgd_.rotates, job_.slices)};
    require_filled(common_->dealings[sides.residing].filled(), job_.shards);
    std::vector<std::unique_ptr<Push>> out;
    for (ShardRatings& shard : loaded.hosted)
      out.push_back(std::make_unique<MfPush>(sgd_, sides, std::move(shard.of[sides.residing]),
                                             std::move(shard.held_out[sides.residing])));
    return out;
  }

  std::vector<Table> tables(const Facts& facts) const override {
    const auto both = facts.count("users") + facts.count("items");
    const double rows = static_cast<double>(both) * static_cast<double>(FactorRows::bytes_of_row(settings_.rank));
    const double visits = MfPush::kBytesOfVisit * job_.shards * job_.slices;
    return {{.name = "factors",
             .kind = Table::Kind::sliced,
             .memory = rows + visits,
             .sized_by = rows > visits ? "rank" : "shards"}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<MfSchedule>(job_, sgd_);
  }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<FactorRows>(keys.size(), settings_.rank, settings_.biases);
  }
  void start(const Facts&, SliceId, Slice& rows, std::span<const Key>, Random& random) const override {
    dynamic_cast<FactorRows&>(rows).start(random);
  }
  std::vector<Term> terms() const override { return terms_of(settings_); }
  bool evaluating_pass() const override { return settings_.held_out; }

 private:
  const SgdSettings sgd_ = sgd_settings(job_.options);
};

}  // namespace

Plugin sgd_plugin() {
  static constexpr std::string_view kPackedOptions[] = {"format",   "separator", "header", "columns",
                                                        "implicit", "loss",      "solver"};
  static constexpr Needs kVisits = {"--loss=squared and logistic",
                                    [](const Options& options) { return !sgd_settings(options).implicit; }};
  static constexpr FrameworkNeeds kNeeds[] = {
      kSynchronousRounds[0], kSynchronousRounds[1], kSynchronousRounds[2], {"step_budget_ms", kVisits}};
  return plugin_of<SgdApp>({.name = "mf",
                            .summary = "matrix factorisation of ratings, for recommendations: SGD",
                            .items = "ratings",
                            .options = declared_options<SgdSettings>(),
                            .sliced = true,
                            .packed_format = 4,
                            .packed_options = kPackedOptions,
                            .check = [](const Options& options) { (void)sgd_settings(options); },
                            .framework_needs = kNeeds,
                            .export_text = export_text<read_sgd_model>,
                            .commands = commands<read_sgd_model>()});
}

}  // namespace rota::mf
