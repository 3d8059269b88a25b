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

#include "apps/mf/ccd/settings.h"
#include "apps/mf/commands/commands.h"

namespace rota::mf {
namespace {

// With v the partners' numbers: the sums of residual v and of v^2, each of four lanes, so that additions do not wait
// for each other.
struct FitSums {
  double product, square;

  // The minimiser under the penalty; 0 if there is none and partners of 0 leave it undetermined.
  double best(double penalty, bool nonnegative) const {
    const double value = square + penalty > 0 ? product / (square + penalty) : 0;
    return nonnegative ? std::max(value, 0.0) : value;
  }
};
constexpr std::size_t kSums = 4;
FitSums total(const double (&products)[kSums], const double (&squares)[kSums]) {
  return {(products[0] + products[1]) + (products[2] + products[3]),
          (squares[0] + squares[1]) + (squares[2] + squares[3])};
}
template <typename PartnerOf>
FitSums fit_sums(const double* residuals, std::size_t count, PartnerOf partner_of) {
  double products[kSums] = {}, squares[kSums] = {};
  const auto add = [&](std::size_t j, std::size_t lane) {
    const double v = partner_of(j);
    products[lane] += residuals[j] * v;
    squares[lane] += v * v;
  };
  std::size_t j = 0;
  for (; j + kSums <= count; j += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) add(j + lane, lane);
  for (; j < count; ++j) add(j, j % kSums);
  return total(products, squares);
}

class CcdPush : public AlternatingPush {
 public:
  using AlternatingPush::AlternatingPush;

 protected:
  Factors factors(std::uint32_t side) const override {
    const std::size_t count = whole_->common->rows(side), rank = settings_.rank;
    const auto turn = [&](LineVector<double>& out) {
      out.resize(count * rank);
      for (std::size_t k = 0; k < rank; ++k)
        for (std::size_t i = 0; i < count; ++i) out[i * rank + k] = factor(side, k)[i];
    };
    return whole_->made[side].of(views_[side].version(), turn);
  }
  // One factor of all users, or items.
  const double* factor(std::uint32_t side, std::size_t k) const {
    return views_[side].numbers().data() + k * blocks(side) * kTogether;
  }
  // Rows of a table for one factor.
  std::size_t blocks(std::uint32_t side) const { return rows_of_factor(whole_->common->rows(side)); }

  // Changes the residuals of a side's ratings to those of all factors but k, from those of all factors (k = 0), or of
  // all but k - 1, which has changed since.
  void leave_out(std::uint32_t side, std::size_t k) {
    const RatingRows& ratings = rows_[side];
    const std::uint32_t partners = kItemSide - side;
    const double *const own = factor(side, k), *const others = factor(partners, k);
    const double* const own_before = k > 0 ? factor(side, k - 1) : nullptr;
    const double* const others_before = k > 0 ? factor(partners, k - 1) : nullptr;
    for (std::size_t i = 0; i < ratings.rows(); ++i) {
      const double x = own[ratings.first + i], before = k > 0 ? own_before[ratings.first + i] : 0;
      double* const residual = residuals_[side].data() + ratings.begins[i];
      const std::size_t count = ratings.ratings(i);
      ratings.with_numbers(i, [&](auto number_of) {
        for (std::size_t j = 0; j < count; ++j) {
          if (k > 0) residual[j] -= before * others_before[number_of(j)];
          residual[j] += x * others[number_of(j)];
        }
      });
    }
  }

  // Puts the numbers of this shard's rows into the parts of one factor.
  template <typename NumberOf>
  void put(const SharedTask& task, std::size_t k, NumberOf number_of) const {
    const RatingRows& rows = rows_[task.table];
    if (rows.rows() == 0) return;
    // The first and the last row may be shared with other shards: each leaves zeros for the others' numbers.
    const std::size_t first = rows.first / kTogether, end = rows_of_factor(rows.first + rows.rows());
    const std::span<double> next =
        task.parts.run(k * blocks(task.table) + first, end - first).subspan(rows.first % kTogether);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      next[i] = number_of(i);
      require_finite(task.table, i, {&next[i], 1});
    }
  }

  std::vector<double> residuals_[2];  // of the ratings of its users, of its items
};

class FactorPush final : public CcdPush {
 public:
  // The shards of this process.  If the ratings are seen these are all shards, and an item's ratings are with its
  // users.
  struct All {
    std::vector<const FactorPush*> pushes;
    OncePerVersion<LineVector<double>> items = {};  // the numbers of one factor, by the users'
  };

  FactorPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardId shard, ShardRatings ratings,
             std::shared_ptr<All> all)
      : CcdPush(settings, std::move(whole), shard, std::move(ratings)), all_(std::move(all)) {
    all_->pushes.push_back(this);
  }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::uint32_t side = task.table;
    const auto round = task.argument.as<FactorRound>();
    if (round.opens) open(round.factor);
    const double* const others = factor(kItemSide - side, round.factor);
    if (side == kItemSide && by_users()) {
      const double* const numbers = numbers_of_items(round.factor) + rows_[side].first;
      put(task, round.factor, [&](std::size_t i) { return numbers[i]; });
      return 0;
    }
    put(task, round.factor, [&](std::size_t i) {
      const std::size_t count = rows_[side].ratings(i);
      const FitSums sums = rows_[side].with_numbers(i, [&](auto number_of) {
        return fit_sums(residuals_[side].data() + rows_[side].begins[i], count,
                        [&](std::size_t j) { return others[number_of(j)]; });
      });
      return sums.best(penalty(count), settings_.nonnegative);
    });
    return round.opens && round.factor == 0 ? items() : 0;  // each rating once an epoch
  }

 private:
  // In every epoch the residuals are computed from the model, so a checkpoint need not have them, and rounding does not
  // accumulate.
  void open(std::size_t k) {
    for (const std::uint32_t side : {kUserSide, kItemSide}) {
      if (side == kItemSide && by_users()) break;
      if (k == 0) {
        residuals_[side].clear();
        residuals_[side].reserve(rows_[side].ratings());
        predict(rows_[side], factors(side), factors(kItemSide - side),
                [&](double value, double prediction) { residuals_[side].push_back(value - prediction); });
      }
      leave_out(side, k);
    }
  }

  bool by_users() const { return rows_[kUserSide].seen != nullptr; }
  // The sums of an item, in the order of its users, as fit_sums() adds them.
  struct alignas(64) ItemSums {
    double products[kSums] = {}, squares[kSums] = {};
  };
  const double* numbers_of_items(std::size_t k) const {
    const auto make = [&](LineVector<double>& out) {
      std::vector<ItemSums> sums(whole_->common->rows(kItemSide));
      std::vector<std::uint32_t> counts(sums.size());
      for (const FactorPush* const one : all_->pushes) one->add_to_items(k, sums, counts);
      out.resize(sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        out[i] = total(sums[i].products, sums[i].squares).best(penalty(counts[i]), settings_.nonnegative);
    };
    return all_->items.of(views_[kUserSide].version(), make).data();
  }
  void add_to_items(std::size_t k, std::vector<ItemSums>& sums, std::vector<std::uint32_t>& counts) const {
    const RatingRows& users = rows_[kUserSide];
    for (std::size_t i = 0; i < users.rows(); ++i) {
      const double x = factor(kUserSide, k)[users.first + i];
      const double* const residual = residuals_[kUserSide].data() + users.begins[i];
      users.with_numbers(i, [&](auto number_of) {
        for (std::size_t j = 0; j < users.ratings(i); ++j) {
          ItemSums& at = sums[number_of(j)];
          const std::size_t lane = counts[number_of(j)]++ % kSums;
          at.products[lane] += residual[j] * x;
          at.squares[lane] += x * x;
        }
      });
    }
  }

  std::shared_ptr<All> all_;
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
  RoundRobinPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardId shard, ShardRatings ratings)
      : CcdPush(settings, std::move(whole), shard, std::move(ratings)) {
    std::vector<Partner>().swap(rows_[kItemSide].partners);  // those of an item are in the shards of its users
  }

  std::uint64_t push(const SharedTask& task, Random&) override {
    if (task.table == kItemSide) {
      add_items(task, task.argument.as<FactorRound>().factor);
      return 0;
    }
    descend_users(task);
    return items();  // each rating once an epoch
  }

 private:
  // The residuals are computed from the model, and are those of all factors at the end: a checkpoint need not have
  // them.
  void descend_users(const SharedTask& task) {
    const RatingRows& users = rows_[kUserSide];
    const Factors own = factors(kUserSide), partners = factors(kItemSide);
    const std::size_t width = form_.width(), rank = settings_.rank;
    LineVector<double> row(width), rows;
    std::vector<double> apart, next(users.rows() * rank);
    residuals_[kUserSide].resize(users.ratings());
    for (std::size_t i = 0; i < users.rows(); ++i) {
      const std::span<const Partner> ratings = users.row(i);
      rows.resize(ratings.size() * width);
      apart.resize(ratings.size());
      gather_rows(partners, form_, ratings, rows.data(), apart.data());
      widen(own, form_, users.first + i, row.data());
      double* const residuals = residuals_[kUserSide].data() + users.begins[i];
      products(rows.data(), ratings.size(), width, row.data(), residuals);
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
    const RatingRows& users = rows_[kUserSide];
    if (users.ratings() == 0) return;
    const double* const w = factor(kUserSide, k);
    const std::span<double> sums = task.parts.run(k * blocks(kItemSide), blocks(kItemSide));
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
  RoundRobinPull(double penalty, bool nonnegative) : penalty_(penalty), nonnegative_(nonnegative) {}

  void pull(const PullTask& task) override {
    if (task.table == kUserSide) return AssignPull::pull(task);
    for (const PullEntry& entry : task.entries)
      for (std::size_t i = 0; i < kTogether; ++i)
        entry.value[i] = FitSums{entry.sum[i], entry.sum[kTogether + i]}.best(penalty_, nonnegative_);
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
    std::vector<Round> rounds;
    if (ccd_.round_robin) rounds.push_back(AlternatingSchedule::round_on(kUserSide));
    for (std::uint32_t k = 0; k < settings_.rank; ++k) {
      if (ccd_.round_robin) rounds.push_back(AlternatingSchedule::round_on(kItemSide, Argument(FactorRound{k})));
      for (std::uint32_t turn = 0; turn < ccd_.inner && !ccd_.round_robin; ++turn)
        for (const std::uint32_t side : {kUserSide, kItemSide})
          rounds.push_back(
              AlternatingSchedule::round_on(side, Argument(FactorRound{k, turn == 0 && side == kUserSide})));
    }
    return std::make_unique<AlternatingSchedule>(std::move(rounds));
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    if (!ccd_.round_robin) return AlternatingApp::pull(facts);
    const double deviation = facts.number("deviation");
    const double penalty = settings_.penalty() * penalty_scale(settings_, deviation) / unit_of(settings_, deviation);
    return std::make_unique<RoundRobinPull>(settings_.by_rating ? 0 : penalty, settings_.nonnegative);
  }

 protected:
  std::unique_ptr<Push> push(ShardId shard, ShardRatings ratings) override {
    if (ccd_.round_robin) return std::make_unique<RoundRobinPush>(settings_, whole(), shard, std::move(ratings));
    return std::make_unique<FactorPush>(settings_, whole(), shard, std::move(ratings), factor_pushes_);
  }
  bool uses(std::uint32_t side, const AllRatings& all) const override {
    return side == kUserSide || (!ccd_.round_robin && all.seen == nullptr);
  }

 private:
  const CcdSettings ccd_ = ccd_settings(job_.options);
  const std::shared_ptr<FactorPush::All> factor_pushes_ = std::make_shared<FactorPush::All>();
};

}  // namespace

Plugin ccd_plugin() {
  return plugin_of<CcdApp>({.name = "ccd",
                            .summary = "matrix factorisation by cyclic coordinate descent (CCD++)",
                            .items = "ratings",
                            .options = declared_options<CcdSettings>(),
                            .packed_format = 4,
                            .packed_options = io::kEntryOptions,
                            .framework_needs = kSynchronousRounds,
                            .export_text = export_text,
                            .commands = commands()});
}

}  // namespace rota::mf
