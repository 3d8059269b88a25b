#include "apps/mf/ccd/ccd.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/mf/alternating/app.h"
#include "apps/mf/alternating/schedule.h"

namespace rota::mf {
namespace {

// The argument of a round.
constexpr std::size_t kFactor = 0;
constexpr std::size_t kOpens = 1;  // 1: the first round of this factor, or 0

class CcdPush final : public AlternatingPush {
 public:
  using AlternatingPush::AlternatingPush;

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::uint32_t side = task.table;
    const auto k = static_cast<std::size_t>(task.argument[kFactor]);
    const bool opens = task.argument[kOpens] != 0;
    if (opens) open(k);
    const RatingRows& rows = ratings_.of[side];
    if (rows.rows() == 0) return 0;
    // The first and the last row may be those of other shards too: the numbers of each are the others' zeros.
    const std::size_t first = rows.first / kTogether, end = rows_of_factor(rows.first + rows.rows());
    const std::span<double> next =
        task.parts.run(k * rows_of_factor(whole_->rows[side]) + first, end - first).subspan(rows.first % kTogether);
    for (std::size_t i = 0; i < rows.rows(); ++i) next[i] = fitted(side, i, factor(kItemSide - side, k));
    return opens && k == 0 ? items() : 0;  // each rating once an epoch
  }

 protected:
  Factors factors(std::uint32_t side) const override {
    const std::size_t rows = whole_->rows[side], rank = settings_.rank;
    const auto turn = [&](LineVector<double>& out) {
      out.resize(rows * rank);
      for (std::size_t k = 0; k < rank; ++k)
        for (std::size_t i = 0; i < rows; ++i) out[i * rank + k] = factor(side, k)[i];
    };
    return {whole_->made[side].of(views_[side].version(), turn), views_[side].version()};
  }

 private:
  std::size_t stride(std::uint32_t side) const { return rows_of_factor(whole_->rows[side]) * kTogether; }
  const double* factor(std::uint32_t side, std::size_t k) const {
    return views_[side].numbers().data() + k * stride(side);
  }

  // Makes the residuals of all factors but k; those that they are of before are all but k - 1.  In every epoch they are
  // made anew from the model, so that a checkpoint needs none and no rounding adds up.
  void open(std::size_t k) {
    for (const std::uint32_t side : {kUserSide, kItemSide}) {
      const RatingRows& ratings = ratings_.of[side];
      if (k == 0) {
        residuals_[side].clear();
        predict(ratings, factors(side), factors(kItemSide - side),
                [&](std::span<const Partner> some, std::span<const double> predictions) {
                  for (std::size_t j = 0; j < some.size(); ++j)
                    residuals_[side].push_back(static_cast<double>(some[j].value) - predictions[j]);
                });
      }
      const double *const own = factor(side, k), *const others = factor(kItemSide - side, k);
      const double *const own_before = k > 0 ? own - stride(side) : nullptr, *const others_before =
                                                                                 k > 0
                                                                                     ? others - stride(kItemSide - side)
                                                                                     : nullptr;
      for (std::size_t i = 0; i < ratings.rows(); ++i) {
        const double x = own[ratings.first + i], before = k > 0 ? own_before[ratings.first + i] : 0;
        double* residual = residuals_[side].data() + ratings.begins[i];
        for (const Partner& one : ratings.row(i)) {
          if (k > 0) *residual -= before * others_before[one.number];
          *residual++ += x * others[one.number];
        }
      }
    }
  }

  // Sums of four lanes, so that additions do not wait for each other.
  double fitted(std::uint32_t side, std::size_t i, const double* others) const {
    constexpr std::size_t kLanes = 4;
    constexpr double kLeastPenalty = 1e-9;  // without one, factors of 0 would leave it open
    const std::span<const Partner> ratings = ratings_.of[side].row(i);
    const double* const residuals = residuals_[side].data() + ratings_.of[side].begins[i];
    double products[kLanes] = {}, squares[kLanes] = {};
    const auto add = [&](std::size_t j, std::size_t lane) {
      const double v = others[ratings[j].number];
      products[lane] += residuals[j] * v;
      squares[lane] += v * v;
    };
    std::size_t j = 0;
    for (; j + kLanes <= ratings.size(); j += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
    for (; j < ratings.size(); ++j) add(j, j % kLanes);
    const double product = (products[0] + products[1]) + (products[2] + products[3]);
    const double square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    const double value = product / (square + std::max(penalty(ratings.size()), kLeastPenalty));
    return settings_.nonnegative ? std::max(value, 0.0) : value;
  }

  std::vector<double> residuals_[2];  // of the ratings of its users, of its items
};

class CcdApp final : public AlternatingApp {
 public:
  using AlternatingApp::AlternatingApp;

  std::vector<Table> tables(const Facts& facts) const override {
    std::vector<Table> tables;
    for (const char* name : {"users", "items"})
      tables.push_back({.name = name,
                        .keys = rows_of_factor(facts.count(name)) * settings_.rank,
                        .row_width = kTogether,
                        .part_width = kTogether,
                        .dense = true});
    tables[kItemSide].started = true;
    return tables;
  }
  // The items' uniform in [0, 1 / sqrt(rank)), the users' 0.
  void start_row(TableId, Key, std::span<double> row, Random& random) const override {
    for (double& x : row) x = random.uniform() / std::sqrt(static_cast<double>(settings_.rank));
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    std::vector<Round> rounds;
    for (std::uint32_t k = 0; k < settings_.rank; ++k)
      for (std::uint32_t turn = 0; turn < settings_.inner; ++turn)
        for (const std::uint32_t side : {kUserSide, kItemSide})
          rounds.push_back(AlternatingSchedule::round_on(
              side, {static_cast<double>(k), turn == 0 && side == kUserSide ? 1.0 : 0.0}));
    return std::make_unique<AlternatingSchedule>(std::move(rounds));
  }

 protected:
  std::unique_ptr<Push> push(std::shared_ptr<WholeData> whole, ShardRatings ratings) const override {
    return std::make_unique<CcdPush>(settings_, std::move(whole), std::move(ratings));
  }
};

}  // namespace

std::unique_ptr<App> ccd_app(const Job& job) {
  return std::make_unique<CcdApp>(job);
}

}  // namespace rota::mf
