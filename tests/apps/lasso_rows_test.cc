// tests/apps/lasso_rows_test.cc -- the Lasso app over ranges of rows, on the serial host, against plain coordinate
// descent.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "apps/lasso/column_interference.h"
#include "apps/lasso/program.h"
#include "apps/lasso/rows_pull.h"
#include "apps/lasso/rows_push.h"
#include "apps/lasso/rows_schedule.h"
#include "tests/apps/serial_host.h"

namespace rota::lasso {
namespace {

using Given = std::map<std::string, std::string>;
using tests::SerialHost;

struct Data {
  std::vector<std::vector<double>> x;  // by columns
  std::vector<double> y, w;
  std::vector<std::uint32_t> folds;

  std::size_t rows() const { return y.size(); }
  std::size_t columns() const { return x.size(); }
};

// Rows [first, end), without zeros if `sparse`.
Columns columns_of(const Data& data, std::size_t first, std::size_t end, bool sparse) {
  const BlockRange range{first, end, 0, data.columns()};
  if (!sparse) {
    DenseBlock<double> block;
    block.rows = end - first;
    block.values = DesignArray<double>(block.rows * data.columns());
    std::size_t at = 0;
    for (const auto& column : data.x)
      for (std::size_t i = first; i < end; ++i) block.values[at++] = column[i];
    return Columns(range, std::move(block));
  }
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  std::vector<std::uint64_t> starts{0};
  for (const auto& column : data.x) {
    for (std::size_t i = first; i < end; ++i) {
      if (column[i] == 0) continue;
      rows.push_back(static_cast<std::uint32_t>(i - first));
      values.push_back(column[i]);
    }
    starts.push_back(rows.size());
  }
  SparseBlock<double> block{DesignArray<std::uint64_t>(starts.size()), DesignArray<std::uint32_t>(rows.size()),
                            DesignArray<double>(rows.size())};
  std::copy(starts.begin(), starts.end(), block.starts.data());
  std::copy(rows.begin(), rows.end(), block.rows.data());
  std::copy(values.begin(), values.end(), block.values.data());
  return Columns(range, std::move(block));
}

bool is_sparse(const Data& data) {
  std::size_t zeros = 0;
  for (const auto& column : data.x) zeros += static_cast<std::size_t>(std::count(column.begin(), column.end(), 0.0));
  return 2 * zeros > data.rows() * data.columns();
}

// The app over the data that the test has put here.
const Data* data_of_test = nullptr;

std::vector<Table> tables(const Job&) {
  return {{.name = "coefficients",
           .keys = kIntercept + 1,
           .row_width = 1,
           .part_width = 1,
           .block_width = 1,
           .together = true},
          {.name = "path", .keys = kMostPenalties << 32, .row_width = 1, .together = true},
          {.name = "fits", .keys = kMostFolds * kMostPenalties, .row_width = kFitWidth, .together = true}};
}

std::unique_ptr<Schedule> schedule(const Job& job, Share share) {
  const Settings settings = settings_of(job.options);
  std::unique_ptr<Interference> test;
  if (settings.order == Order::priority || settings.conflicts == Conflicts::drop)
    test = column_interference(columns_of(*data_of_test, 0, data_of_test->rows(), is_sparse(*data_of_test)),
                               settings.correlation, settings.intercept);
  return std::make_unique<RowsSchedule>(settings, job, share, std::move(test));
}

std::vector<std::unique_ptr<Push>> load(const Job& job, std::span<const ShardId> hosted) {
  const Data& data = *data_of_test;
  std::vector<std::unique_ptr<Push>> shards;
  for (const ShardId s : hosted) {
    const std::size_t first = data.rows() * s / job.shards, end = data.rows() * (s + 1) / job.shards;
    const auto part = [&](const auto& all) {
      if (all.empty()) return all;
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      return std::decay_t<decltype(all)>(begin, begin + static_cast<std::ptrdiff_t>(end - first));
    };
    shards.push_back(std::make_unique<RowsPush>(
        settings_of(job.options),
        RowsData{columns_of(data, first, end, is_sparse(data)), part(data.y), part(data.w), part(data.folds)}));
  }
  return shards;
}

std::unique_ptr<Pull> pull(const Job& job) {
  const auto staleness = job.options.has("staleness") ? job.options.integer("staleness") : 0;
  return std::make_unique<RowsPull>(settings_of(job.options), static_cast<std::uint32_t>(staleness));
}

const Plugin& plugin() {
  static const Plugin plugin = [] {
    Plugin made;
    made.options = options();
    made.check = check;
    made.tables = tables;
    made.terms = [](const Job&) -> std::vector<Term> { return {{"loss"}, {"penalty"}, {"nonzeros"}}; };
    made.schedule = schedule;
    made.load = load;
    made.pull = pull;
    return made;
  }();
  return plugin;
}

Job job_of(const Data& data, Given given, std::uint32_t shards = 3) {
  data_of_test = &data;
  given.emplace("partition", "rows");
  Job job = tests::make_job(plugin(), std::move(given), {});
  job.shards = shards;
  return job;
}

// Sparse columns with few entries, or dense ones; responses from a few of them.
Data random_data(std::uint64_t seed, std::size_t rows, std::size_t columns, double density, bool classes) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Data data;
  data.y.resize(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double>& column = data.x.emplace_back(rows);
    for (double& x : column) x = uniform(random) < density ? normal(random) + 0.5 : 0;
    const double b = j % 7 == 0 ? normal(random) : 0;
    for (std::size_t i = 0; i < rows; ++i) data.y[i] += b * column[i];
  }
  for (double& y : data.y) {
    y += 0.3 * normal(random) + 0.4;
    if (classes) y = y > 0 ? 1 : -1;
    data.w.push_back(0.5 + uniform(random));
  }
  return data;
}

// Dense columns in groups that share a part: two of a group correlate by `correlation`.
Data correlated_data(std::size_t rows, std::size_t columns, std::size_t groups, double correlation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Data data;
  data.y.resize(rows);
  data.w.assign(rows, 1);
  std::vector<double> shared(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    if (j % (columns / groups) == 0)
      for (double& x : shared) x = normal(random);
    std::vector<double>& column = data.x.emplace_back(rows);
    for (std::size_t i = 0; i < rows; ++i)
      column[i] = std::sqrt(correlation) * shared[i] + std::sqrt(1 - correlation) * normal(random);
    const double b = j % 31 == 0 ? normal(random) : 0;
    for (std::size_t i = 0; i < rows; ++i) data.y[i] += b * column[i];
  }
  for (double& y : data.y) y += 0.3 * normal(random);
  return data;
}

// A fit, and what there is to say of it.
struct Fit {
  std::vector<double> b;
  double b0 = 0, objective = 0, loss = 0, held_out = 0, lambda_max = 0;
};

// Coordinate descent in the plainest form.
class PlainFit {
 public:
  PlainFit(const Data& data, const Settings& settings, std::uint32_t fold)
      : data_(data), settings_(settings), fold_(fold), w_(data.rows()), f_(data.rows()) {
    double sum = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) sum += w_[i] = held_out(i) ? 0 : data.w[i];
    for (double& w : w_) w /= sum;
    for (const auto& column : data.x) {
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < w_.size(); ++i) mean += w_[i] * column[i];
      for (std::size_t i = 0; i < w_.size(); ++i) square += w_[i] * (column[i] - mean) * (column[i] - mean);
      scale_.push_back(settings.standardize ? std::sqrt(square) : 1);
    }
  }

  Fit operator()(double lambda) {
    const double l1 = lambda * settings_.l1_ratio, l2 = lambda - l1;
    fit_.b.resize(data_.columns());
    for (int sweep = 0; sweep < 200'000; ++sweep) {
      double most = 0;
      if (settings_.intercept) {
        const double change = along(nullptr) / h();
        for (double& f : f_) f += change;
        fit_.b0 += change;
        most = std::abs(change);
      }
      for (std::size_t j = 0; j < data_.columns(); ++j) {
        const auto& x = data_.x[j];
        double curvature = 0;
        for (std::size_t i = 0; i < w_.size(); ++i) curvature += h() * w_[i] * x[i] * x[i];
        if (curvature == 0 || scale_[j] < 1e-12) continue;
        const double best = soft_threshold(along(&x) + curvature * fit_.b[j], l1 * scale_[j]) /
                            (curvature + l2 * scale_[j] * scale_[j]);
        const double change = best - fit_.b[j];
        for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += change * x[i];
        fit_.b[j] = best;
        most = std::max(most, std::abs(change) * std::sqrt(curvature));
      }
      if (most < 1e-13) break;
    }
    fit_.loss = loss(false);
    fit_.objective = fit_.loss;
    for (std::size_t j = 0; j < data_.columns(); ++j) fit_.objective += penalty_of({l1, l2}, scale_[j], fit_.b[j]);
    if (fold_ != 0) fit_.held_out = loss(true);
    return fit_;
  }

  // The least penalty that leaves no coefficient.
  double lambda_max() {
    (*this)(1e9);
    double most = 0;
    for (std::size_t j = 0; j < data_.columns(); ++j)
      if (scale_[j] > 1e-12) most = std::max(most, std::abs(along(&data_.x[j])) / scale_[j]);
    return most / settings_.l1_ratio;
  }

 private:
  bool held_out(std::size_t i) const { return fold_ != 0 && data_.folds[i] == fold_; }
  double h() const { return settings_.loss == Loss::squared ? 1 : 0.25; }
  // How fast the loss falls along a column; along ones if null.
  double along(const std::vector<double>* x) const {
    double sum = 0;
    for (std::size_t i = 0; i < f_.size(); ++i) {
      const double y = data_.y[i];
      const double slope = settings_.loss == Loss::squared ? y - f_[i] : y / (1 + std::exp(y * f_[i]));
      sum += w_[i] * slope * (x == nullptr ? 1 : (*x)[i]);
    }
    return sum;
  }
  double loss(bool of_held_out) const {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < f_.size(); ++i) {
      if (held_out(i) != of_held_out) continue;
      const double y = data_.y[i];
      sum += data_.w[i] *
             (settings_.loss == Loss::squared ? (y - f_[i]) * (y - f_[i]) / 2 : std::log1p(std::exp(-y * f_[i])));
      weight += data_.w[i];
    }
    return sum / weight;
  }

  const Data& data_;
  Settings settings_;
  std::uint32_t fold_;
  std::vector<double> w_, f_, scale_;
  Fit fit_;
};

FitRow fit_row(const SerialHost& host, std::uint32_t fold, std::uint32_t penalty) {
  FitNumbers numbers{};
  const auto row = host.row(kFits, fit_key(fold, penalty));
  std::copy(row.begin(), row.end(), numbers.begin());
  return std::bit_cast<FitRow>(numbers);
}

// Runs to the end, and sums up the figures of all epochs.
std::map<std::string, double> run(SerialHost& host, int epochs = 3000) {
  std::map<std::string, double> sums;
  for (int i = 0; i < epochs && !host.done(); ++i) {
    host.run_epoch();
    for (const Figure& figure : host.figures()) sums[figure.name] += figure.value;
  }
  EXPECT_TRUE(host.done());
  return sums;
}

// The recorded fits are those of plain coordinate descent.
void expect_fits(const Data& data, const Job& job, const SerialHost& host, double precision = 1e-5) {
  const Settings settings = settings_of(job.options);
  const double lambda_max = PlainFit(data, settings, 0).lambda_max();
  const double last = settings.lambda.value_or(lambda_max * settings.lambda_ratio);
  for (std::uint32_t fold = 0; fold <= settings.folds; ++fold) {
    PlainFit plain(data, settings, fold);
    const double null_loss = PlainFit(data, settings, fold)(1e9).loss;
    for (std::uint32_t k = 0; k < settings.path; ++k) {
      const double lambda =
          settings.path == 1 ? last : lambda_max * std::pow(last / lambda_max, double(k) / (settings.path - 1));
      const Fit fit = plain(lambda);
      const FitRow row = fit_row(host, fold, k);
      EXPECT_NEAR(row.lambda, lambda, 1e-9 * lambda);
      EXPECT_NEAR(row.null_loss, null_loss, 1e-9 * null_loss);
      EXPECT_LE(row.gap, settings.tolerance * null_loss);
      EXPECT_LE(row.objective - fit.objective, row.gap + 1e-12 * null_loss) << "the gap is a bound";
      EXPECT_GE(row.objective - fit.objective, -1e-9 * null_loss);
      EXPECT_NEAR(row.loss, fit.loss, precision * null_loss);
      EXPECT_EQ(row.rows, static_cast<double>(data.rows()));
      EXPECT_EQ(row.columns, static_cast<double>(data.columns()));
      if (fold != 0) {
        EXPECT_NEAR(row.held_out, fit.held_out, precision * null_loss);
        EXPECT_GT(row.held_out_weight, 0);
        continue;
      }
      double nonzeros = 0, largest = 0;
      for (const double b : fit.b) largest = std::max(largest, std::abs(b));
      for (std::size_t j = 0; j < fit.b.size(); ++j) {
        const double b = host.row(kPath, path_key(k, j))[0];
        EXPECT_NEAR(b, fit.b[j], std::sqrt(precision) * largest) << "column " << j;
        if (b != 0) nonzeros += 1;
      }
      EXPECT_EQ(row.nonzeros, nonzeros);
      EXPECT_NEAR(host.row(kPath, path_key(k, kIntercept))[0], fit.b0, std::sqrt(precision));
    }
  }
}

TEST(LassoRows, IsPlainCoordinateDescent) {
  for (const char* loss : {"squared", "logistic"}) {
    for (const double density : {0.1, 1.0}) {
      const Data data = random_data(1, 90, 60, density, std::string(loss) == "logistic");
      for (const char* intercept : {"false", "true"}) {
        for (const char* standardize : {"false", "true"}) {
          for (const char* l1_ratio : {"1", "0.5"}) {
            SCOPED_TRACE(std::string(loss) + " " + std::to_string(density) + " " + intercept + standardize + l1_ratio);
            const Job job = job_of(data, {{"loss", loss},
                                          {"intercept", intercept},
                                          {"standardize", standardize},
                                          {"l1_ratio", l1_ratio},
                                          {"tolerance", "1e-9"},
                                          {"batch", "16"}});
            SerialHost host(plugin(), job);
            run(host);
            expect_fits(data, job, host);
          }
        }
      }
    }
  }
}

// Near the optimum of the plain fit, by `share` of the objective at zero.
void expect_optimum(const Data& data, const Job& job, const SerialHost& host, double share) {
  const Settings settings = settings_of(job.options);
  PlainFit plain(data, settings, 0);
  const double lambda = settings.lambda.value_or(PlainFit(data, settings, 0).lambda_max() * settings.lambda_ratio);
  const double null_loss = PlainFit(data, settings, 0)(1e9).loss, optimum = plain(lambda).objective;
  EXPECT_NEAR(fit_row(host, 0, 0).objective, optimum, share * null_loss);
}

// Data in which all columns, or all of a group, interfere: without control this diverges at any batch beyond a few.
TEST(LassoRows, GroupingConvergesAtEveryBatch) {
  for (const auto& [groups, correlation] : {std::pair(10, 0.9), std::pair(1, 0.5)}) {
    const Data data = correlated_data(60, 2100, static_cast<std::size_t>(groups), correlation);
    for (const char* batch : {"1", "4", "32", "256", "1024"}) {
      SCOPED_TRACE(std::to_string(groups) + " groups, batch " + batch);
      const Job job = job_of(data, {{"batch", batch}, {"tolerance", "1e-7"}});
      SerialHost host(plugin(), job);
      const auto figures = run(host);
      expect_optimum(data, job, host, 1e-7);
      EXPECT_EQ(figures.at("undone"), 0) << "blocks keep what interferes apart";
      EXPECT_EQ(figures.at("grouped") > 0, std::string(batch) != "1");
    }
  }
}

TEST(LassoRows, WithoutControlItDivergesAndIsUndone) {
  const Data data = correlated_data(100, 1200, 1, 0.5);
  const Job job = job_of(data, {{"batch", "256"}, {"conflicts", "ignore"}, {"tolerance", "1e-5"}});
  SerialHost host(plugin(), job);
  host.run_epochs(2);  // the start, and the look at the first penalty
  const double before = host.figure("objective");
  std::map<Key, double> batches;
  for (int epoch = 0; epoch < 3; ++epoch) {
    host.run_epoch();
    EXPECT_EQ(host.figure("undone"), 1);
    EXPECT_FALSE(host.figure("objective") < 1e6 * before) << "this is what the guard is for";
    EXPECT_EQ(host.figure("batch"), 256 >> epoch);
  }
  run(host);
  expect_optimum(data, job, host, 1e-5);
}

TEST(LassoRows, AnUndoneEpochLeavesNoTrace) {
  const Data data = correlated_data(60, 400, 1, 0.5);
  const Job job = job_of(data, {{"batch", "128"}, {"conflicts", "ignore"}, {"intercept", "true"}});
  SerialHost host(plugin(), job);
  host.run_epochs(2);
  bool undone = false;
  host.watch([&](const Round& round, std::uint32_t) {
    if (argument_of(round.argument).step != Step::undo) return;
    undone = true;
    ASSERT_EQ(round.argument.size(), kArgumentWidth + round.shared.size());
    for (std::size_t i = 0; i < round.shared.size(); ++i) {
      if (round.shared[i] == kIntercept) continue;
      EXPECT_EQ(round.argument[kArgumentWidth + i], 0) << "the fit began from zero";
    }
  });
  host.run_epochs(2);
  EXPECT_TRUE(undone);
}

TEST(LassoRows, OldAndNewRoundsConvergeAlike) {
  for (const char* order : {"priority", "round_robin", "random"}) {
    for (const char* conflicts : {"group", "drop"}) {
      for (const char* staleness : {"0", "2"}) {
        for (const char* intercept : {"false", "true"}) {
          SCOPED_TRACE(std::string(order) + " " + conflicts + ", staleness " + staleness + ", intercept " + intercept);
          for (const Data& data : {random_data(3, 120, 300, 0.05, false), correlated_data(200, 120, 6, 0.9)}) {
            const Job job = job_of(data, {{"order", order},
                                          {"conflicts", conflicts},
                                          {"staleness", staleness},
                                          {"intercept", intercept},
                                          {"batch", "32"},
                                          {"tolerance", "1e-5"}});
            SerialHost host(plugin(), job);
            run(host);
            expect_optimum(data, job, host, 1e-5);
          }
        }
      }
    }
  }
}

TEST(LassoRows, APathAndItsFolds) {
  for (const char* loss : {"squared", "logistic"}) {
    Data data = random_data(5, 96, 40, 0.3, std::string(loss) == "logistic");
    data.folds = folds_of_rows(data.rows(), 3, 1);
    const Job job = job_of(data, {{"loss", loss},
                                  {"intercept", "true"},
                                  {"standardize", "true"},
                                  {"path", "4"},
                                  {"lambda_ratio", "0.1"},
                                  {"folds", "3"},
                                  {"batch", "8"},
                                  {"tolerance", "1e-9"}});
    SerialHost host(plugin(), job);
    run(host);
    expect_fits(data, job, host);
  }
}

TEST(LassoRows, SeveralSchedulersTakeTheStepsTogether) {
  Data data = random_data(6, 96, 100, 0.2, false);
  data.folds = folds_of_rows(data.rows(), 2, 1);
  for (const char* staleness : {"0", "3"}) {
    const Job job = job_of(data, {{"schedulers", "3"},
                                  {"staleness", staleness},
                                  {"intercept", "true"},
                                  {"path", "3"},
                                  {"lambda_ratio", "0.1"},
                                  {"folds", "2"},
                                  {"batch", "8"},
                                  {"tolerance", "1e-9"}});
    SerialHost host(plugin(), job);
    std::map<std::uint32_t, std::set<Key>> drawn;
    host.watch([&](const Round& round, std::uint32_t scheduler) {
      if (argument_of(round.argument).step != Step::update) return;
      for (const Key key : round.shared)
        if (key != kIntercept) drawn[scheduler].insert(key);
    });
    run(host);
    expect_fits(data, job, host);
    ASSERT_EQ(drawn.size(), 3U);
    for (const auto& [scheduler, keys] : drawn) {
      EXPECT_GE(*keys.begin(), 100 * scheduler / 3);
      EXPECT_LT(*keys.rbegin(), 100 * (scheduler + 1) / 3);
    }
  }
}

TEST(LassoRows, SchedulersUndoTogether) {
  const Data data = correlated_data(60, 400, 1, 0.5);
  const Job job = job_of(
      data,
      {{"schedulers", "2"}, {"batch", "64"}, {"conflicts", "ignore"}, {"intercept", "true"}, {"tolerance", "1e-5"}});
  SerialHost host(plugin(), job);
  EXPECT_GT(run(host).at("undone"), 0);
  expect_optimum(data, job, host, 1e-5);
}

TEST(LassoRows, AResumedJobContinuesToTheLastBit) {
  Data data = random_data(8, 60, 80, 0.3, true);
  data.folds = folds_of_rows(data.rows(), 2, 1);
  const Job job = job_of(data, {{"loss", "logistic"},
                                {"intercept", "true"},
                                {"standardize", "true"},
                                {"path", "3"},
                                {"lambda_ratio", "0.1"},
                                {"tolerance", "1e-5"},
                                {"folds", "2"},
                                {"staleness", "1"},
                                {"batch", "16"}});
  SerialHost straight(plugin(), job);
  straight.run_epoch();
  while (!straight.done()) {
    const SerialHost::Snapshot last = straight.save();
    straight.run_epoch();
    SerialHost resumed(plugin(), job);
    resumed.restore(last);
    EXPECT_EQ(resumed.save(), last);
    resumed.run_epoch();
    ASSERT_EQ(resumed.save(), straight.save()) << "epoch " << straight.epochs();
  }
}

TEST(LassoRows, AnUndoSurvivesAResumption) {
  const Data data = correlated_data(60, 200, 1, 0.5);
  const Job job = job_of(data, {{"batch", "64"}, {"conflicts", "ignore"}, {"intercept", "true"}});
  SerialHost straight(plugin(), job), resumed(plugin(), job);
  straight.run_epochs(3);
  EXPECT_EQ(straight.figure("undone"), 1);
  resumed.restore(straight.save());
  for (int epoch = 0; epoch < 4; ++epoch) {
    straight.run_epoch();
    resumed.run_epoch();
    ASSERT_EQ(resumed.save(), straight.save());
  }
}

TEST(LassoRows, AWrongStateIsRefused) {
  const Data data = random_data(9, 30, 20, 0.5, false);
  SerialHost host(plugin(), job_of(data, {{"intercept", "true"}, {"standardize", "true"}}, 1));
  host.run_epochs(3);
  const SerialHost::Snapshot right = host.save();
  const auto refused = [&](auto part) {
    for (std::size_t size = 0; size < part(right).size(); ++size) {
      SerialHost::Snapshot cut = right;
      const_cast<std::vector<std::byte>&>(part(cut)).resize(size);
      EXPECT_THROW(host.restore(cut), std::runtime_error) << size;
    }
  };
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.schedules[0]; });
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.shards[0]; });
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.pull; });
  host.restore(right);
  EXPECT_EQ(host.save(), right);
}

TEST(LassoRows, ColumnsThatSayNothing) {
  Data data = random_data(10, 50, 12, 1, false);
  for (double& x : data.x[2]) x = 0;
  for (double& x : data.x[3]) x = 5;
  for (double& x : data.x[4]) x += 1000;
  data.x[6] = data.x[5];
  for (const char* standardize : {"false", "true"}) {
    const Job job = job_of(data, {{"intercept", "true"}, {"standardize", standardize}, {"tolerance", "1e-8"}});
    SerialHost host(plugin(), job);
    run(host);
    expect_optimum(data, job, host, 1e-8);
    EXPECT_EQ(host.row(kPath, path_key(0, 2))[0], 0);
    EXPECT_EQ(host.row(kPath, path_key(0, 3))[0], 0) << "a constant column is the intercept's business";
  }
}

TEST(LassoRows, TheEvaluationIsTheObjective) {
  const Data data = random_data(11, 50, 30, 0.5, true);
  const Job job = job_of(data, {{"loss", "logistic"}, {"l1_ratio", "0.7"}, {"standardize", "true"}});
  SerialHost host(plugin(), job);
  for (int epoch = 0; epoch < 6; ++epoch) {
    host.run_epoch();
    const auto terms = host.evaluate();
    if (host.done()) break;
    EXPECT_NEAR(terms[kLossTerm] + terms[kPenaltyTerm], host.figure("objective"), 1e-12);
  }
}

TEST(LassoRows, ShardsMakeNoDifferenceBeyondRounding) {
  const Data data = random_data(12, 64, 50, 0.4, false);
  std::vector<double> objectives;
  for (const std::uint32_t shards : {1U, 2U, 7U, 64U}) {
    SerialHost host(plugin(), job_of(data, {{"tolerance", "1e-10"}, {"intercept", "true"}}, shards));
    run(host);
    objectives.push_back(fit_row(host, 0, 0).objective);
  }
  for (const double objective : objectives) EXPECT_NEAR(objective, objectives[0], 1e-9 * objectives[0]);
}

}  // namespace
}  // namespace rota::lasso
