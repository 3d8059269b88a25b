// tests/apps/linear_optimum.h -- rows whose optimum is checked in plain loops: no step from there decreases the
// objective.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rota/numerics/seed_mixer.h"
#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/linear_plugins.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/linear_models/plain_sgd.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {

inline constexpr std::size_t kRows = 90, kKeys = 8;  // the intercept and seven features

class LinearOptimum : public testing::Test {
 protected:
  void SetUp() override {
    Random random = random_named({5});
    std::ostringstream text, weights;
    for (std::size_t r = 0; r < kRows; ++r) {
      PlainSgd::Row row(kKeys);
      row[0] = 1;
      for (std::size_t j = 1; j < kKeys; ++j)
        if (random.uniform() < 0.6) row[j] = static_cast<double>(random.below(9)) / 4 - 1;  // exact in any precision
      rows_.push_back(row);
      labels_.push_back(static_cast<double>(1 + random.below(2) + (row[1] > 0 ? 1U : 0U)));
      counts_.push_back(static_cast<double>(1 + random.below(3)));
      weights << counts_.back() << "\n";
    }
    weights_ = files_.write("weights", weights.str());
  }
  // Labels up to `most`; larger ones become `most`.
  std::string write(double most) {
    std::ostringstream text;
    for (std::size_t r = 0; r < kRows; ++r) {
      text.precision(17);
      text << std::min(most, labels_[r]);
      for (std::size_t j = 1; j < kKeys; ++j)
        if (rows_[r][j] != 0) text << " " << j << ":" << rows_[r][j];
      text << "\n";
    }
    return files_.write("rows", text.str());
  }
  Job job(const Given& options, double most = 2) { return linear_job(options, {write(most)}); }

  // The objective of the weights, in plain loops; the two classes are 1 and all larger labels.
  double objective(const std::string& loss, const std::vector<double>& w, double l2, bool weighted,
                   bool intercept_too) {
    double losses = 0, total = 0, penalty = 0;
    for (std::size_t r = 0; r < kRows; ++r) {
      double f = 0;
      for (std::size_t j = 0; j < kKeys; ++j) f += w[j] * rows_[r][j];
      const double label = std::min(2.0, labels_[r]), y = loss == "squared" ? label : 2 * label - 3;
      const double below = std::max(0.0, 1 - y * f), count = weighted ? counts_[r] : 1;
      losses += count * (loss == "logistic"  ? std::log1p(std::exp(-y * f))
                         : loss == "squared" ? (f - y) * (f - y) / 2
                         : loss == "hinge"   ? below
                                             : below * below);
      total += count;
    }
    for (std::size_t j = intercept_too ? 0 : 1; j < kKeys; ++j) penalty += l1_ * std::abs(w[j]) + l2 / 2 * w[j] * w[j];
    return losses / total + penalty;
  }
  static std::vector<double> weights_of(const SerialHost& host, std::uint32_t output = 0) {
    const linear::TrainedModel model = linear::read_model(SerialModel(host));
    std::vector<double> w;
    // A feature beyond those of the data has no weight yet.
    for (std::size_t j = 0; j < kKeys; ++j) w.push_back(j < model.keys ? model.weight(j, output) : 0);
    return w;
  }
  // No step of this length in any of many directions decreases the objective.
  void expect_optimum(const std::string& loss, const SerialHost& host, double l2, bool weighted, bool intercept_too) {
    const std::vector<double> w = weights_of(host);
    const double here = objective(loss, w, l2, weighted, intercept_too);
    auto terms = terms_of(host);
    EXPECT_NEAR(terms["loss"] + terms["penalty"], here, 1e-12) << loss;
    Random random = random_named({6});
    for (int i = 0; i < 300; ++i) {
      std::vector<double> there = w;
      const std::size_t one = random.below(2 * kKeys);  // along an axis, or anywhere
      for (std::size_t j = 0; j < kKeys; ++j)
        if (one >= kKeys || one == j) there[j] += 1e-3 * (2 * random.uniform() - 1);
      EXPECT_GE(objective(loss, there, l2, weighted, intercept_too), here * (1 - 1e-9)) << loss << " " << i;
    }
  }
  // With and without weights, and a penalty of the intercept, jobs end at the optimum within `epochs`.
  void expect_ends_at_optimum(const std::string& loss, Given options, unsigned epochs) {
    options.insert({{"loss", loss}, {"l2", "0.01"}});
    for (const bool weighted : {false, true})
      for (const bool intercept_too : {false, true}) {
        SCOPED_TRACE(loss + (weighted ? ", weighted" : "") + (intercept_too ? ", with the intercept's penalty" : ""));
        options["penalize_intercept"] = intercept_too ? "true" : "false";
        if (weighted) options["weights"] = weights_;
        LinearHost host(job(options));
        host.run();
        EXPECT_EQ(host.converged(), true);
        EXPECT_LT(host.epochs(), epochs) << "few steps are enough";
        expect_optimum(loss, host, 0.01, weighted, intercept_too);
      }
  }

  ScratchFiles files_;
  std::string weights_;
  std::vector<PlainSgd::Row> rows_;
  std::vector<double> labels_, counts_;
  double l1_ = 0;
};

}  // namespace rota::tests
