// tests/apps/mf_alternating_test.cc -- als and ccd over the serial host, against plain loops.
#include "apps/mf/als/settings.h"
#include "apps/mf/ccd/settings.h"
#include "apps/mf/ranking.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/apps/make_job.h"
#include "tests/apps/mf_plugins.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/mf/plain_solve.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests::alternating {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr std::uint32_t kUsers = 71, kItems = 17;

struct Raw {
  std::size_t number[2];  // user, item
  double value;
};

// Users and items appear in the order of their numbers.  One pair in ten has two ratings, some ratings are 0.
std::vector<Raw> some_ratings() {
  std::vector<Raw> out;
  for (std::uint32_t i = 0; i < kUsers; ++i) out.push_back({{i, i % kItems}, i % 5 + 1.0});
  Random random = random_named({3});
  for (int i = 0; i < 200; ++i)
    out.push_back({{random.below(kUsers), random.below(kItems)}, static_cast<double>(random.below(6))});
  for (int i = 0; i < 20; ++i) out.push_back({{out[i * 7].number[0], out[i * 7].number[1]}, 0.5 * i});
  return out;
}

// Both tables in plain rows, and the objective.
class Plain {
 public:
  Plain(const SerialHost& host, const std::vector<Raw>& ratings)
      : ccd_(linked_plugin().name == "ccd"), weights_(kUsers, std::vector<double>(kItems)) {
    if (ccd_) {
      const mf::CcdSettings given = mf::ccd_settings(host.job().options);
      settings_ = given;
      round_robin_ = given.round_robin;
    } else {
      settings_ = mf::als_settings(host.job().options);
    }
    for (const Raw& one : ratings) sum_ += one.value;
    base_ = settings_.biases ? sum_ / static_cast<double>(ratings.size()) : 0;
    if (settings_.implicit) {
      Matrix used(kUsers, std::vector<double>(kItems));
      for (const Raw& one : ratings) used[one.number[0]][one.number[1]] += one.value;
      for (std::size_t u = 0; u < kUsers; ++u)
        for (std::size_t i = 0; i < kItems; ++i) {
          targets_.push_back({{u, i}, used[u][i] > 0 ? 1.0 : 0.0});
          weight_.push_back(1 + settings_.alpha * used[u][i]);
          if (used[u][i] > 0) ++counts_[0][u], ++counts_[1][i];
        }
    } else {
      targets_ = ratings;
      weight_.assign(ratings.size(), 1);
      for (const Raw& one : ratings) ++counts_[0][one.number[0]], ++counts_[1][one.number[1]];
    }
    rows_[0] = read(host, 0, kUsers);
    rows_[1] = read(host, 1, kItems);
  }

  Matrix read(const SerialHost& host, TableId side, std::size_t count) const {
    Matrix rows;
    for (std::size_t r = 0; r < count; ++r) {
      rows.push_back(ccd_ ? std::vector<double>() : host.row(side, static_cast<Key>(r)));
      for (std::size_t k = 0; ccd_ && k < settings_.rank; ++k)
        rows.back().push_back(
            host.row(side, static_cast<Key>(k * mf::rows_of_factor(count) + r / mf::kTogether))[r % mf::kTogether]);
    }
    return rows;
  }
  double penalty(std::size_t side, std::size_t row) const {
    return settings_.penalty() * (settings_.by_rating ? counts_[side][row] : 1);
  }
  double prediction(const Raw& one) const {
    const auto &p = rows_[0][one.number[0]], &q = rows_[1][one.number[1]];
    double sum = base_ + (settings_.biases ? p[settings_.rank] + q[settings_.rank] : 0);
    for (std::size_t k = 0; k < settings_.rank; ++k) sum += p[k] * q[k];
    return sum;
  }
  double objective() const {
    double sum = 0;
    for (std::size_t at = 0; at < targets_.size(); ++at)
      sum += weight_[at] * std::pow(targets_[at].value - prediction(targets_[at]), 2);
    for (const std::size_t side : {0, 1})
      for (std::size_t r = 0; r < rows_[side].size(); ++r)
        for (const double x : rows_[side][r]) sum += penalty(side, r) * x * x;
    return sum;
  }
  // All rows of a side, each by its normal equations.
  void solve(std::size_t side) {
    const std::size_t size = rows_[0][0].size();
    for (std::size_t r = 0; r < rows_[side].size(); ++r) {
      Matrix a(size, std::vector<double>(size));
      std::vector<double> y(size);
      for (std::size_t at = 0; at < targets_.size(); ++at) {
        if (targets_[at].number[side] != r) continue;
        std::vector<double> q = rows_[1 - side][targets_[at].number[1 - side]];
        const double target = targets_[at].value - base_ - (settings_.biases ? q.back() : 0);
        if (settings_.biases) q.back() = 1;
        for (std::size_t i = 0; i < size; ++i) {
          for (std::size_t j = 0; j < size; ++j) a[i][j] += weight_[at] * q[i] * q[j];
          y[i] += weight_[at] * target * q[i];
        }
      }
      for (std::size_t i = 0; i < size; ++i) a[i][i] += penalty(side, r);
      rows_[side][r] = plain_solve(a, y);
    }
  }
  // One factor of all rows of a side.
  void fit(std::size_t side, std::size_t k) {
    Matrix sums(rows_[side].size(), {0, 0});
    for (const Raw& one : targets_) {
      const double v = rows_[1 - side][one.number[1 - side]][k], u = rows_[side][one.number[side]][k];
      sums[one.number[side]][0] += (one.value - prediction(one) + u * v) * v;
      sums[one.number[side]][1] += v * v;
    }
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const double value = sums[r][0] / (sums[r][1] + penalty(side, r));
      rows_[side][r][k] = settings_.nonnegative ? std::max(value, 0.0) : value;
    }
  }
  void run(const Round& round) {
    if (!ccd_)
      solve(round.table);
    else if (round_robin_ && round.table == mf::kUserSide)
      for (std::size_t k = 0; k < settings_.rank; ++k) fit(mf::kUserSide, k);
    else
      fit(round.table, round.argument.as<mf::FactorRound>().factor);
  }
  void expect_equal(const SerialHost& host) const {
    for (const TableId side : {0U, 1U}) {
      const Matrix rows = read(host, side, rows_[side].size());
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t k = 0; k < rows[r].size(); ++k) ASSERT_NEAR(rows[r][k], rows_[side][r][k], 1e-9) << r;
    }
  }

 private:
  bool ccd_, round_robin_ = false;
  mf::Settings settings_;
  Matrix weights_;
  double sum_ = 0, base_ = 0;
  std::vector<Raw> targets_;
  std::vector<double> weight_;
  double counts_[2][kUsers] = {};
  Matrix rows_[2];
};

class MfAlternating : public testing::Test {
 protected:
  Job job(Given options, std::uint32_t shards = 3) {
    std::ostringstream text;
    for (const Raw& one : ratings_) text << "u" << one.number[0] << "\ti" << one.number[1] << "\t" << one.value << "\n";
    options.try_emplace("rank", "5");
    choose(options.contains("app") ? options["app"] : "als");
    return make_job(linked_plugin(), options, {files_.write("ratings", text.str())}, shards);
  }
  static double objective(const SerialHost& host) {
    const std::vector<double> terms = host.evaluate();
    return terms.front() + terms.back();  // the penalty
  }

  ScratchFiles files_;
  std::vector<Raw> ratings_ = some_ratings();
};

const Given kSolvers[] = {{},
                          {{"biases", "true"}, {"lambda_by", "row"}, {"lambda", "0.4"}},
                          {{"row_solver", "cg"}, {"cg_steps", "100"}, {"biases", "true"}},
                          {{"implicit", "true"}, {"alpha", "3"}},
                          {{"implicit", "true"}, {"row_solver", "cg"}, {"cg_steps", "100"}, {"lambda", "1"}},
                          {{"implicit", "true"}, {"lambda_by", "rating"}, {"rank", "9"}},
                          {{"app", "ccd"}},
                          {{"app", "ccd"}, {"inner", "3"}, {"lambda_by", "row"}, {"nonnegative", "true"}}};

// For these the rounding of sums over shards depends on the cut into shards.
const Given kRoundRobin[] = {
    {{"app", "ccd"}, {"schedule", "round_robin"}, {"lambda", "0.7"}},
    {{"app", "ccd"}, {"schedule", "round_robin"}, {"lambda_by", "rating"}, {"nonnegative", "true"}}};

std::vector<Given> all_solvers() {
  std::vector<Given> all(std::begin(kSolvers), std::end(kSolvers));
  all.insert(all.end(), std::begin(kRoundRobin), std::end(kRoundRobin));
  return all;
}

TEST_F(MfAlternating, EpochsAreThoseOfPlainLoops) {
  for (const Given& options : all_solvers()) {
    MfHost host(job(options));
    Plain plain(host, ratings_);
    double least = plain.objective();
    host.watch([&](const Round& round, std::uint32_t) {
      plain.run(round);
      const double now = plain.objective();
      EXPECT_LE(now, least * (1 + 1e-12)) << round.table;
      least = now;
    });
    for (int epoch = 0; epoch < 4; ++epoch) {
      host.run_epoch();
      plain.expect_equal(host);
      if (HasFatalFailure()) return;
      EXPECT_NEAR(objective(host), plain.objective(), 1e-9 * plain.objective());
    }
  }
}

// A step of conjugate gradients never increases the objective.
TEST_F(MfAlternating, FewStepsOfConjugateGradientsLowerTheObjectiveToo) {
  for (const char* implicit : {"false", "true"}) {
    const Given given = {{"implicit", implicit}, {"row_solver", "cg"}};
    MfHost few(job(given)), exact(job({{"implicit", implicit}}));
    exact.run_epochs(30);
    few.run_epoch();
    for (int epoch = 1; epoch < 30; ++epoch) {
      const double before = objective(few);
      few.run_epoch();
      EXPECT_LE(objective(few), before * (1 + 1e-12));
    }
    EXPECT_LT(objective(few), 1.1 * objective(exact)) << implicit;  // it may be another minimum
  }
}

TEST_F(MfAlternating, ShardsChangeNoBit) {
  for (const Given& options : kSolvers) {
    MfHost one(job(options, 1)), several(job(options, 7));
    one.run_epochs(3);
    several.run_epochs(3);
    EXPECT_EQ(one.rows(), several.rows());
  }
}

TEST_F(MfAlternating, ARoundRobinOverMoreShardsRoundsOtherwiseAndIsTheSame) {
  for (const Given& options : kRoundRobin) {
    MfHost one(job(options, 1)), several(job(options, 7));
    one.run_epochs(3);
    several.run_epochs(3);
    EXPECT_NEAR(objective(one), objective(several), 1e-9 * objective(one));
  }
}

TEST_F(MfAlternating, ARestoredHostContinuesAlike) {
  for (const Given& options : all_solvers()) {
    SCOPED_TRACE(testing::PrintToString(options));
    const Job task = job(options);  // which chooses the app
    expect_resumed_alike(task, 3, 2);
  }
}

// As the commands score it; one rating is of an unknown user.
TEST_F(MfAlternating, HeldOutRatingsAreScoredWithTheCurrentModel) {
  for (Given options : {kSolvers[0], kSolvers[1], kSolvers[6], kRoundRobin[0]}) {
    options["valid"] = "given";
    Job task = job(options);
    task.valid = {files_.write("valid", "u1\ti3\t2\nu7\ti5\t4.5\nunknown\ti5\t1\nu70\ti16\t3\nu1\ti3\t5\n")};
    MfHost host(task);
    host.run_epochs(3);
    const mf::TrainedModel trained = model_of(host);
    const double errors[] = {2 - trained.score(1, 3), 5 - trained.score(1, 3), 4.5 - trained.score(7, 5),
                             3 - trained.score(70, 16), 1 - trained.mean};
    double squares = 0, absolute = 0;
    for (const double one : errors) squares += one * one, absolute += std::abs(one);
    EXPECT_NEAR(*host.score("valid_rmse"), std::sqrt(squares / 5), 1e-6);
    EXPECT_NEAR(*host.score("valid_mae"), absolute / 5, 1e-6);
    EXPECT_EQ(host.evaluate()[4], 1);  // valid_unknown
  }
}

// As the commands rank the model, on any number of shards; items of training are not ranked.
TEST_F(MfAlternating, HeldOutItemsAreRankedWithTheCurrentModel) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> seen, wanted;
  for (const Raw& one : ratings_)
    if (one.value > 0)
      seen[static_cast<std::uint32_t>(one.number[0])].push_back(static_cast<std::uint32_t>(one.number[1]));
  std::ostringstream lines;
  for (std::uint32_t u = 0; u < kUsers; ++u) {
    std::sort(seen[u].begin(), seen[u].end());
    seen[u].erase(std::unique(seen[u].begin(), seen[u].end()), seen[u].end());
    for (std::uint32_t i = u % 4; u % 3 != 0 && i < kItems; i += 5) {
      lines << "u" << u << "\ti" << i << "\n";
      if (!std::binary_search(seen[u].begin(), seen[u].end(), i)) wanted[u].push_back(i);
    }
  }
  for (const std::uint32_t shards : {1U, 3U}) {
    Job task = job({{"implicit", "true"}, {"rank", "9"}, {"valid", "given"}}, shards);
    task.valid = {files_.write("valid", lines.str() + "stranger\ti1\nu1\tnothing\t2\n")};
    MfHost host(task);
    host.run_epochs(3);
    const mf::TrainedModel model = model_of(host);
    std::vector<mf::RankedUser> ranked;
    for (const auto& [u, items] : wanted) ranked.push_back({{model.users.row(u), seen[u]}, items});
    const mf::RankingMetrics whole = mf::ranking_metrics(model.items.rows(), ranked, mf::ValidRanking::kTop, 1);
    ASSERT_GT(whole.users, kUsers / 2);
    EXPECT_GT(whole.top.ndcg, 0);
    EXPECT_LT(whole.top.ndcg, 1);
    EXPECT_NEAR(*host.score("valid_ndcg"), whole.top.ndcg, 1e-12);
    EXPECT_NEAR(*host.score("valid_recall"), whole.top.recall, 1e-12);
    EXPECT_NEAR(*host.score("valid_precision"), whole.top.precision, 1e-12);
    EXPECT_EQ(host.evaluate()[5], 2);  // valid_unknown
    EXPECT_GT(host.evaluate().back(), 0);
  }
}

// Absolute pivots and penalties made every row of such ratings NaN.
TEST_F(MfAlternating, LargeRatingsWithoutAPenaltyHaveFiniteRows) {
  for (const double times : {1.0, 1e3, 1e9})
    for (const Given& options :
         {Given{}, Given{{"row_solver", "cg"}}, Given{{"biases", "true"}}, Given{{"app", "ccd"}}}) {
      ratings_ = some_ratings();
      for (Raw& one : ratings_) one.value *= times;
      Given given = options;
      given.insert({{"rank", "16"}, {"lambda", "0"}});
      MfHost host(job(given));
      double before = INFINITY;
      for (int epoch = 0; epoch < 5; ++epoch) {
        host.run_epoch();
        ASSERT_LE(objective(host), before * (1 + 1e-6) + 1e-9 * times * times) << times;
        before = objective(host);
      }
      for (const float one : model_of(host).items.factors) EXPECT_LT(std::abs(one), 100 * std::sqrt(times));
    }
}

TEST_F(MfAlternating, NoFactorIsBelowZeroIfNoneMayBe) {
  for (const Given& options : {Given{{"biases", "true"}}, Given{{"app", "ccd"}}, Given{{"implicit", "true"}}}) {
    Given given = options;
    given["nonnegative"] = "true";
    MfHost host(job(given)), free(job(options));
    double before = INFINITY;
    for (int epoch = 0; epoch < 5; ++epoch) {
      host.run_epoch();
      free.run_epoch();
      EXPECT_LE(objective(host), before * (1 + 1e-9));
      before = objective(host);
    }
    const mf::TrainedModel trained = model_of(host);
    for (const auto* side : {&trained.users, &trained.items})
      for (const float f : side->factors) EXPECT_GE(f, 0);
    EXPECT_GT(before, objective(free) * 0.999);
  }
}

}  // namespace
}  // namespace rota::tests::alternating
