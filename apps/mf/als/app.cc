// apps/mf/als/app.cc -- als: alternating least squares.  An epoch is a round that solves all users' rows from the
// items', and one the other way round (Zhou, Wilkinson, Schreiber and Pan, "Large-scale parallel collaborative
// filtering for the Netflix prize", AAIM 2008; for implicit ratings Hu, Koren and Volinsky, ICDM 2008).
#include "apps/mf/alternating/app.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/mf/als/row_solver.h"
#include "apps/mf/als/settings.h"
#include "apps/mf/commands/commands.h"

namespace rota::mf {
namespace {

class AlsPush final : public AlternatingPush {
 public:
  AlsPush(const AlsSettings& settings, std::shared_ptr<WholeData> whole, ShardId shard, ShardRatings ratings)
      : AlternatingPush(settings, std::move(whole), shard, std::move(ratings)), cg_steps_(settings.cg_steps) {}

  void attach(const Shape& shape) override {
    AlternatingPush::attach(shape);
    solver_.emplace(settings_, cg_steps_, form_);
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::uint32_t side = task.table;
    const RatingRows& rows = rows_[side];
    const double* const gram = settings_.implicit ? gram_of(kItemSide - side) : nullptr;
    const Factors partners = factors(kItemSide - side);
    const std::span<double> next = task.parts.run(rows.first, rows.rows());
    std::ranges::copy(factors(side).subspan(rows.first * form_.size, next.size()), next.begin());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::span<double> row = next.subspan(i * form_.size, form_.size);
      solver_->solve(partners, gram, rows.row(i), penalty(rows.ratings(i)), row);
      require_finite(side, i, row);
    }
    return side == kUserSide ? items() : 0;  // each rating once an epoch
  }

  bool restores_in_place() const override { return true; }

 protected:
  Factors factors(std::uint32_t side) const override { return views_[side].numbers(); }

 private:
  std::uint32_t cg_steps_;
  std::optional<RowSolver> solver_;  // from attach() on
};

class AlsApp final : public AlternatingApp {
 public:
  explicit AlsApp(const Job& job) : AlternatingApp(job, als_settings(job.options)) {}

  std::vector<Table> tables(const Facts& facts) const override {
    std::vector<Table> tables =
        both_tables(facts.count("users"), facts.count("items"), settings_.rank + (settings_.biases ? 1 : 0));
    tables[kUserSide].memory = job_.shards * RowSolver::memory(als_.cg_steps, RowForm(settings_, 0, 1));
    return tables;
  }
  // Factors uniform in [0, 1 / sqrt(rank)), biases 0.
  void start_row(const Facts&, TableId, Key, std::span<double> row, Random& random) const override {
    for (double& x : row.first(settings_.rank)) x = random.uniform() / std::sqrt(static_cast<double>(settings_.rank));
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<AlternatingSchedule>(
        std::vector<Round>{AlternatingSchedule::round_on(kUserSide), AlternatingSchedule::round_on(kItemSide)});
  }

 protected:
  std::unique_ptr<Push> push(ShardId shard, ShardRatings ratings) override {
    return std::make_unique<AlsPush>(als_, whole(), shard, std::move(ratings));
  }

 private:
  const AlsSettings als_ = als_settings(job_.options);
};

}  // namespace

Plugin als_plugin() {
  static constexpr std::string_view kPackedOptions[] = {"format", "separator", "header", "columns", "implicit"};
  return plugin_of<AlsApp>({.name = "als",
                            .summary = "matrix factorisation by alternating least squares, for implicit ratings too",
                            .items = "ratings",
                            .options = declared_options<AlsSettings>(),
                            .packed_format = 4,
                            .packed_options = kPackedOptions,
                            .check = [](const Options& options) { (void)als_settings(options); },
                            .framework_needs = kSynchronousRounds,
                            .export_text = export_text,
                            .commands = commands()});
}

}  // namespace rota::mf
