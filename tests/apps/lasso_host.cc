#include "tests/apps/lasso_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "apps/lasso/app.h"
#include "tests/apps/make_job.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lasso {
namespace {

const Plugin kPlugins[] = {columns_plugin(), rows_plugin()};
const Plugin* chosen = kPlugins;

}  // namespace

void choose(std::string_view app) {
  for (const Plugin& one : kPlugins)
    if (one.name == app) chosen = &one;
}

Job job_of(const Data& data, tests::Given given, std::uint32_t shards) {
  static const tests::ScratchFiles files;
  static int jobs = 0;
  std::ostringstream rows, weights;
  rows.precision(17);
  weights.precision(17);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    weights << data.w[i] << "\n";
    rows << data.y[i];
    for (std::size_t j = 0; j < data.columns(); ++j)
      if (data.x[j][i] != 0 || j + 1 == data.columns()) rows << " " << j + 1 << ":" << data.x[j][i];
    rows << "\n";
  }
  const std::string name = std::to_string(++jobs);
  given["weights"] = files.write(name + ".weights", weights.str());
  given.emplace("intercept", "false");
  given.emplace("schedulers", "1");
  return tests::make_job(linked_plugin(), std::move(given), {files.write(name, rows.str())}, shards);
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
  const Settings settings = settings_of<Settings>(job.options);
  const double lambda_max = PlainFit(data, settings, 0).lambda_max();
  const double last = settings.lambda.value_or(lambda_max * settings.ratio());
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
  const Settings settings = settings_of<Settings>(job.options);
  PlainFit plain(data, settings, 0);
  const double lambda = settings.lambda.value_or(PlainFit(data, settings, 0).lambda_max() * settings.ratio());
  const double null_loss = PlainFit(data, settings, 0)(1e300).loss, optimum = plain(lambda).objective;
  EXPECT_NEAR(fit_row(host, 0, 0).objective, optimum, share * null_loss);
}

}  // namespace rota::lasso

extern "C" const rota::Plugin* rota_plugin_v1() {
  return rota::lasso::chosen;
}
