// apps/mf/ccd/app.cc -- ccd: cyclic coordinate descent.  By default one factor of all users and items after the
// other: CCD++ (Yu, Hsieh, Si and Dhillon, "Scalable coordinate descent approaches to parallel matrix factorization for
// recommender systems", ICDM 2012).
//
// With the residuals of all factors but one, R = A - sum over l != k of u_l v_l', that factor is fitted to them:
//
// u_k[i] = sum over i's ratings of R_ij v_k[j] / (penalty_i + sum over them of v_k[j]^2),     then v_k in the same way,
//
// --inner times.  The tables are stored factor after factor, so a round has consecutive rows, and one number of each.
#include "apps/mf/alternating/app.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/mf/ccd/ccd_push.h"
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

// A part of a row of items: numerators, then denominators.
constexpr std::uint32_t kItemParts = 2 * kTogether;

// --schedule=round_robin: by rows of the ratings, users and items in turn, the schedule of the STRADS paper (Lee et
// al., "On model parallelization and scheduling strategies for distributed machine learning", NIPS 2014, section 3.2).
//
// A shard has a range of users and their ratings, each once.  With R the residuals of all factors but one, w the users'
// numbers of it and h the items', an epoch is
//
//   a round on users   every shard goes through its users, and with each through its factors:
//                      w_i = sum over i's ratings of R_ij h_j / (penalty_i + sum over them of h_j^2)
//   one for each k     every shard pushes, for every item, the sums of R_ij w_i and of w_i^2 over its own users; pull
//                      adds them and divides:  h_j = sum of R_ij w_i / (penalty_j + sum of w_i^2)
//
// Within a round no two changed numbers belong to the same rating, except for a user's, which change one after the
// other: so no round raises the objective.
class RoundRobinPush final : public CcdPush {
 public:
  RoundRobinPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardRatings ratings)
      : CcdPush(settings, std::move(whole), std::move(ratings)) {
    std::vector<Partner>().swap(ratings_.of[kItemSide].partners);  // those of an item are in the shards of its users
  }

  std::uint64_t push(const SharedTask& task, Random&) override {
    if (task.table == kItemSide) {
      add_items(task, static_cast<std::size_t>(task.argument[0]));
      return 0;
    }
    descend_users(task);
    return items();  // each rating once an epoch
  }

 private:
  // The residuals are computed from the model, and are those of all factors at the end: a checkpoint need not have
  // them.
  void descend_users(const SharedTask& task) {
    const RatingRows& users = ratings_.of[kUserSide];
    const Factors own = factors(kUserSide), partners = factors(kItemSide);
    const std::size_t width = form_.width(), rank = settings_.rank;
    LineVector<double> row(width), rows;
    std::vector<double> apart, next(users.rows() * rank);
    residuals_[kUserSide].resize(users.partners.size());
    for (std::size_t i = 0; i < users.rows(); ++i) {
      const std::span<const Partner> ratings = users.row(i);
      rows.resize(ratings.size() * width);
      apart.resize(ratings.size());
      gather_rows(partners, form_, ratings, rows.data(), apart.data());
      widen(own, form_, users.first + i, row.data());
      double* const residuals = residuals_[kUserSide].data() + users.begins[i];
      whole_->kernel.products(rows.data(), ratings.size(), width, row.data(), residuals);
      for (std::size_t j = 0; j < ratings.size(); ++j)
        residuals[j] = static_cast<double>(ratings[j].value) - apart[j] - residuals[j];
      for (std::size_t k = 0; k < rank; ++k) {
        const FitSums sums = fit_sums(residuals, ratings.size(), [&](std::size_t j) { return rows[j * width + k]; });
        const double value = FitSums{sums.product + row[k] * sums.square, sums.square}.best(penalty(ratings.size()),
                                                                                            settings_.nonnegative);
        for (std::size_t j = 0; j < ratings.size(); ++j) residuals[j] -= (value - row[k]) * rows[j * width + k];
        next[i * rank + k] = value;
      }
    }
    for (std::size_t k = 0; k < rank; ++k) put(task, k, [&](std::size_t i) { return next[i * rank + k]; });
  }

  // The shards apply a penalty for each rating; pull adds that of a row.
  void add_items(const SharedTask& task, std::size_t k) {
    leave_out(kUserSide, k);
    const RatingRows& users = ratings_.of[kUserSide];
    if (users.partners.empty()) return;
    const double* const w = factor(kUserSide, k);
    const std::size_t blocks = rows_of_factor(whole_->rows(kItemSide));
    const std::span<double> sums = task.parts.run(k * blocks, blocks);
    const double* residual = residuals_[kUserSide].data();
    const double each = settings_.by_rating ? penalty(1) : 0;
    for (std::size_t i = 0; i < users.rows(); ++i) {
      const double x = w[users.first + i];
      for (const Partner& one : users.row(i)) {
        double* const at = sums.data() + one.number / kTogether * kItemParts + one.number % kTogether;
        at[0] += *residual++ * x;
        at[kTogether] += x * x + each;
      }
    }
  }
};

class RoundRobinPull final : public AssignPull {
 public:
  RoundRobinPull(const Settings& settings, double deviation)
      : penalty_(settings.by_rating
                     ? 0
                     : settings.penalty() * penalty_scale(settings, deviation) / unit_of(settings, deviation)),
        nonnegative_(settings.nonnegative) {}

  void pull(const PullTask& task) override {
    if (task.table == kUserSide) return AssignPull::pull(task);
    for (const PullEntry& entry : task.entries)
      for (std::size_t i = 0; i < kTogether; ++i) {
        entry.value[i] = FitSums{entry.sum[i], entry.sum[kTogether + i]}.best(penalty_, nonnegative_);
      }
  }

 private:
  double penalty_;
  bool nonnegative_;
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
    return std::make_unique<AlternatingSchedule>(ccd_.round_robin ? round_robin() : rounds());
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    if (!ccd_.round_robin) return AlternatingApp::pull(facts);
    return std::make_unique<RoundRobinPull>(settings_, facts.number("deviation"));
  }

 protected:
  std::unique_ptr<Push> push(std::shared_ptr<WholeData> whole, ShardRatings ratings) const override {
    if (ccd_.round_robin) return std::make_unique<RoundRobinPush>(settings_, std::move(whole), std::move(ratings));
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

  std::vector<Round> round_robin() const {
    std::vector<Round> rounds = {AlternatingSchedule::round_on(kUserSide)};
    for (std::uint32_t k = 0; k < settings_.rank; ++k)
      rounds.push_back(AlternatingSchedule::round_on(kItemSide, {static_cast<double>(k)}));
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
