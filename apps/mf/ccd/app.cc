// apps/mf/ccd/app.cc -- ccd: cyclic coordinate descent.  By default one factor of all users and items after the
// other: CCD++ (Yu, Hsieh, Si and Dhillon, "Scalable coordinate descent approaches to parallel matrix factorization for
// recommender systems", ICDM 2012).
//
// With the residuals of all factors but one, R = A - sum over l != k of u_l v_l', that factor is fitted to them:
//
// u_k[i] = sum over i's ratings of R_ij v_k[j] / (penalty_i + sum over them of v_k[j]^2),     then v_k in the same way,
//
// --inner times.  The tables are stored factor after factor, so a round has consecutive rows, and one number of each.
// --schedule=round_robin is in round_robin.h.
#include "apps/mf/alternating/app.h"

#include <cmath>
#include <utility>

#include "apps/mf/ccd/ccd_push.h"
#include "apps/mf/ccd/round_robin.h"
#include "apps/mf/ccd/settings.h"
#include "apps/mf/commands/commands.h"

namespace rota::mf {
namespace {

// The argument of a round.
constexpr std::size_t kFactor = 0;
constexpr std::size_t kOpens = 1;  // 1: the first round of this factor, or 0

class FactorPush final : public CcdPush {
 public:
  using CcdPush::CcdPush;

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::uint32_t side = task.table;
    const auto k = static_cast<std::size_t>(task.argument[kFactor]);
    const bool opens = task.argument[kOpens] != 0;
    if (opens) open(k);
    const double* const others = factor(kItemSide - side, k);
    put(task, k, [&](std::size_t i) { return fitted(side, i, others); });
    return opens && k == 0 ? items() : 0;  // each rating once an epoch
  }

 private:
  // In every epoch the residuals are computed from the model, so a checkpoint need not have them, and rounding does not
  // accumulate.
  void open(std::size_t k) {
    for (const std::uint32_t side : {kUserSide, kItemSide}) {
      if (k == 0) {
        residuals_[side].clear();
        predict(ratings_.of[side], factors(side), factors(kItemSide - side),
                [&](std::span<const Partner> some, std::span<const double> predictions) {
                  for (std::size_t j = 0; j < some.size(); ++j)
                    residuals_[side].push_back(static_cast<double>(some[j].value) - predictions[j]);
                });
      }
      leave_out(side, k);
    }
  }

  double fitted(std::uint32_t side, std::size_t i, const double* others) const {
    const std::span<const Partner> ratings = ratings_.of[side].row(i);
    const FitSums sums = fit_sums(residuals_[side].data() + ratings_.of[side].begins[i], ratings.size(),
                                  [&](std::size_t j) { return others[ratings[j].number]; });
    return sums.best(penalty(ratings.size()), settings_.nonnegative);
  }
};

class CcdApp final : public AlternatingApp {
 public:
  explicit CcdApp(const Job& job) : AlternatingApp(job, ccd_settings(job.options)) {}

  std::vector<Table> tables(const Facts& facts) const override {
    std::vector<Table> tables = both_tables(rows_of_factor(facts.count("users")) * settings_.rank,
                                            rows_of_factor(facts.count("items")) * settings_.rank, kTogether);
    if (ccd_.round_robin) tables[kItemSide].part_width = kItemParts;
    return tables;
  }
  // The items' uniform in [0, 1 / sqrt(rank)), the users' 0.
  void start_row(const Facts&, TableId, Key, std::span<double> row, Random& random) const override {
    for (double& x : row) x = random.uniform() / std::sqrt(static_cast<double>(settings_.rank));
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<AlternatingSchedule>(ccd_.round_robin ? round_robin_rounds(settings_.rank) : rounds());
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    return ccd_.round_robin ? round_robin_pull(settings_, facts.number("deviation")) : AlternatingApp::pull(facts);
  }

 protected:
  std::unique_ptr<Push> push(std::shared_ptr<WholeData> whole, ShardRatings ratings) const override {
    if (ccd_.round_robin) return round_robin_push(settings_, std::move(whole), std::move(ratings));
    return std::make_unique<FactorPush>(settings_, std::move(whole), std::move(ratings));
  }

 private:
  std::vector<Round> rounds() const {
    std::vector<Round> rounds;
    for (std::uint32_t k = 0; k < settings_.rank; ++k)
      for (std::uint32_t turn = 0; turn < ccd_.inner; ++turn)
        for (const std::uint32_t side : {kUserSide, kItemSide})
          rounds.push_back(AlternatingSchedule::round_on(
              side, {static_cast<double>(k), turn == 0 && side == kUserSide ? 1.0 : 0.0}));
    return rounds;
  }

  const CcdSettings ccd_ = ccd_settings(job_.options);
};

}  // namespace

Plugin ccd_plugin() {
  return plugin_of<CcdApp>({.name = "ccd",
                            .summary = "matrix factorisation by cyclic coordinate descent (CCD++)",
                            .items = "ratings",
                            .options = declared_options<CcdSettings>(),
                            .packed_format = 1,
                            .packed_options = io::kEntryOptions,
                            .framework_needs = kSynchronousRounds,
                            .export_text = export_text<read_ccd_model>,
                            .commands = commands<read_ccd_model>()});
}

}  // namespace rota::mf
