#include "tests/apps/lasso_rows_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "apps/lasso/by_columns/pull.h"
#include "apps/lasso/by_columns/push.h"
#include "apps/lasso/by_columns/schedule.h"
#include "apps/lasso/by_rows/column_interference.h"
#include "apps/lasso/by_rows/pull.h"
#include "apps/lasso/by_rows/push.h"
#include "apps/lasso/by_rows/schedule.h"
#include "tests/apps/make_job.h"

namespace rota::lasso {

using Given = std::map<std::string, std::string>;

namespace {

// A part of the data, without zeros if `sparse`.
Columns columns_of(const Data& data, const BlockRange& range, bool sparse) {
  const std::size_t first = range.first_row, end = range.end_row;
  const auto columns = std::span(data.x).subspan(range.first_column, range.end_column - range.first_column);
  if (!sparse) {
    DenseBlock<double> block;
    block.rows = end - first;
    block.values = DesignArray<double>(block.rows * columns.size());
    std::size_t at = 0;
    for (const auto& column : columns)
      for (std::size_t i = first; i < end; ++i) block.values[at++] = column[i];
    return Columns(range, std::move(block));
  }
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  std::vector<std::uint64_t> starts{0};
  for (const auto& column : columns) {
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

class TestedApp final : public App {
 public:
  explicit TestedApp(const Job& job) : job_(job), settings_(settings_of(job.options)) {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    const Data& data = *data_of_test;
    std::vector<std::unique_ptr<Push>> shards;
    if (by_columns()) {
      const auto rows = std::make_shared<SharedRowData>(SharedRowData{data.y, data.w, data.folds, data.columns()});
      for (const ShardId s : hosted) {
        const BlockRange range{0, data.rows(), data.columns() * s / job_.shards,
                               data.columns() * (s + 1) / job_.shards};
        shards.push_back(std::make_unique<ColumnsPush>(settings_, columns_of(data, range, is_sparse(data)), rows));
      }
      return shards;
    }
    for (const ShardId s : hosted) {
      const std::size_t first = data.rows() * s / job_.shards, end = data.rows() * (s + 1) / job_.shards;
      const auto part = [&](const auto& all) {
        if (all.empty()) return all;
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        return std::decay_t<decltype(all)>(begin, begin + static_cast<std::ptrdiff_t>(end - first));
      };
      shards.push_back(std::make_unique<RowsPush>(
          settings_, RowShardData{columns_of(data, {first, end, 0, data.columns()}, is_sparse(data)),
                                  part(data.y),
                                  part(data.w),
                                  part(data.folds),
                                  {}}));
    }
    return shards;
  }
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "coefficients",
             .keys = kIntercept + 1,
             .row_width = 1,
             .part_width = by_columns() ? 0U : 1U,
             .block_width = by_columns() ? 0U : 1U,
             .single_partition = true},
            {.name = "path", .keys = kMostPenalties << 32, .row_width = 1, .single_partition = true},
            {.name = "fits", .keys = kMostFolds * kMostPenalties, .row_width = kFitWidth, .single_partition = true}};
  }
  std::vector<Term> terms() const override { return {{"loss"}, {"penalty"}, {"nonzeros"}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    if (by_columns()) return std::make_unique<WorkingSetSchedule>(settings_);
    std::unique_ptr<Interference> test;
    if (settings_.order == Order::priority || settings_.conflicts == Conflicts::drop)
      test = column_interference(
          columns_of(*data_of_test, {0, data_of_test->rows(), 0, data_of_test->columns()}, is_sparse(*data_of_test)),
          settings_.correlation, settings_.intercept);
    return std::make_unique<RowsSchedule>(settings_, job_, share, std::move(test));
  }
  std::unique_ptr<Pull> pull(const Facts&) const override {
    if (by_columns()) return std::make_unique<ColumnsPull>(settings_, job_.seed);
    return std::make_unique<RowsPull>(settings_, job_.staleness);
  }

 private:
  bool by_columns() const { return settings_.partition == Partition::columns; }

  Job job_;
  Settings settings_;
};

}  // namespace

const Plugin& rows_plugin() {
  static const Plugin plugin = [] {
    Plugin made;
    made.options = options();
    made.check = check;
    made.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<TestedApp>(job); };
    return made;
  }();
  return plugin;
}

Job job_of(const Data& data, Given given, std::uint32_t shards) {
  data_of_test = &data;
  given.emplace("partition", "rows");
  given.emplace("intercept", "false");
  given.emplace("schedulers", "1");
  return tests::make_job(rows_plugin(), std::move(given), {}, shards);
}

FitRow fit_row(const SerialHost& host, std::uint32_t fold, std::uint32_t penalty) {
  FitNumbers numbers{};
  const auto row = host.row(kFits, fit_key(fold, penalty));
  std::copy(row.begin(), row.end(), numbers.begin());
  return std::bit_cast<FitRow>(numbers);
}

std::map<std::string, double> run(SerialHost& host, int epochs) {
  std::map<std::string, double> sums;
  for (int i = 0; i < epochs && !host.done(); ++i) {
    host.run_epoch();
    for (const Figure& figure : host.figures()) sums[figure.name] += figure.value;
  }
  EXPECT_TRUE(host.done());
  return sums;
}

void expect_fits(const Data& data, const Job& job, const SerialHost& host, double precision) {
  const Settings settings = settings_of(job.options);
  const double lambda_max = PlainFit(data, settings, 0).lambda_max();
  const double last = settings.lambda.value_or(lambda_max * settings.lambda_ratio);
  for (std::uint32_t fold = 0; fold <= settings.folds; ++fold) {
    PlainFit plain(data, settings, fold);
    const double null_loss = PlainFit(data, settings, fold)(1e300).loss;
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

void expect_optimum(const Data& data, const Job& job, const SerialHost& host, double share) {
  const Settings settings = settings_of(job.options);
  PlainFit plain(data, settings, 0);
  const double lambda = settings.lambda.value_or(PlainFit(data, settings, 0).lambda_max() * settings.lambda_ratio);
  const double null_loss = PlainFit(data, settings, 0)(1e300).loss, optimum = plain(lambda).objective;
  EXPECT_NEAR(fit_row(host, 0, 0).objective, optimum, share * null_loss);
}

}  // namespace rota::lasso
