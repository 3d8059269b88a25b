// apps/mf/sgd/sgd.cc -- stochastic gradient descent over slices that rotate.  README.md has the mathematics.
#include <algorithm>
#include <utility>

#include "apps/mf/app.h"
#include "apps/mf/sgd/push.h"
#include "apps/mf/sgd/schedule.h"
#include "apps/mf/sgd/sides.h"
#include "rota/error.h"

namespace rota::mf {
namespace {

class SgdApp final : public MfApp {
 public:
  using MfApp::MfApp;

  std::vector<Table> tables(const Facts& facts) const override {
    const auto both = facts.count("users") + facts.count("items");
    const double rows = static_cast<double>(both) * static_cast<double>(FactorRows::bytes_of_row(settings_.rank));
    const double visits = MfPush::kBytesOfVisit * job_.shards * job_.slices;
    return {{.name = "factors",
             .kind = Table::Kind::sliced,
             .memory = rows + visits,
             .sized_by = rows > visits ? "rank" : "shards"}};
  }
  bool evaluating_pass() const override { return settings_.held_out; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<MfSchedule>(job_, settings_);
  }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<FactorRows>(keys.size(), settings_.rank, settings_.biases);
  }
  void start(const Facts&, SliceId, Slice& rows, std::span<const Key>, Random& random) const override {
    dynamic_cast<FactorRows&>(rows).start(random);
  }

 protected:
  std::vector<std::unique_ptr<Push>> shards_of(const RatingSource& source, std::span<const ShardId> hosted) override {
    RatingCounts counts = source.counts();
    if (settings_.loss != Loss::squared) counts.statistics.deviation = 1;
    if (settings_.loss == Loss::logistic && (counts.statistics.mean == 0 || counts.statistics.mean == 1))
      throw DataError(job_.packed ? job_.packed->name() : job_.input.front(), 0, "all labels are the same");
    const auto sides = std::make_shared<const Sides>(sides_of(std::move(counts), settings_.rotates, job_.slices));
    source.require_filled(sides->residing);
    std::vector<std::unique_ptr<Push>> out;
    for (ShardRatings& shard : source.deal(hosted, {sides->residing}))
      out.push_back(std::make_unique<MfPush>(settings_, sides, std::move(shard.of[sides->residing]),
                                             std::move(shard.held_out[sides->residing])));
    return out;
  }
};

}  // namespace

std::unique_ptr<App> sgd_app(const Job& job) {
  return std::make_unique<SgdApp>(job);
}

}  // namespace rota::mf
