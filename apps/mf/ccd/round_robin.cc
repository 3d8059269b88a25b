#include "apps/mf/ccd/round_robin.h"

#include <algorithm>
#include <utility>

#include "apps/mf/alternating/app.h"

namespace rota::mf {
namespace {

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

}  // namespace

std::vector<Round> round_robin_rounds(std::uint32_t rank) {
  std::vector<Round> rounds = {AlternatingSchedule::round_on(kUserSide)};
  for (std::uint32_t k = 0; k < rank; ++k)
    rounds.push_back(AlternatingSchedule::round_on(kItemSide, {static_cast<double>(k)}));
  return rounds;
}

std::unique_ptr<Push> round_robin_push(const Settings& settings, std::shared_ptr<WholeData> whole,
                                       ShardRatings ratings) {
  return std::make_unique<RoundRobinPush>(settings, std::move(whole), std::move(ratings));
}

std::unique_ptr<Pull> round_robin_pull(const Settings& settings, double deviation) {
  return std::make_unique<RoundRobinPull>(settings, deviation);
}

}  // namespace rota::mf
