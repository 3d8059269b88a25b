// tests/apps/sgd_exact_test.cc -- the exact solvers of the SGD app over the serial host: what they end at is an
// optimum.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "apps/sgd/commands/trained_model.h"
#include "apps/sgd/tables.h"
#include "rota/plugin.h"
#include "rota/seed_mixer.h"
#include "rota/serial_host.h"
#include "tests/unit/apps/io/scratch_files.h"
#include "tests/unit/apps/sgd/plain_sgd.h"

namespace rota::tests {
namespace {

using Given = std::map<std::string, std::string>;

constexpr std::size_t kRows = 90, kKeys = 8;  // the intercept and seven features

class SgdExact : public testing::Test {
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
  // Labels up to `most`; larger ones are that.
  std::string write(double most) {
    std::ostringstream text;
    for (std::size_t r = 0; r < kRows; ++r) {
      text << std::min(most, labels_[r]);
      for (std::size_t j = 1; j < kKeys; ++j)
        if (rows_[r][j] != 0) text << " " << j << ":" << rows_[r][j];
      text << "\n";
    }
    return files_.write("rows", text.str());
  }
  Job job(const Given& options, double most = 2) { return serial_job(linked_plugin(), options, {write(most)}); }

  // The objective of the weights, in plain loops; the two classes are 1 and what is above.
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
    for (std::size_t j = intercept_too ? 0 : 1; j < kKeys; ++j) penalty += l2 / 2 * w[j] * w[j];
    return losses / total + penalty;
  }
  static std::vector<double> weights_of(const SerialHost& host, std::uint32_t output = 0) {
    const sgd::TrainedModel model = sgd::read_model(SerialModel(host));
    std::vector<double> w;
    for (std::size_t j = 0; j < kKeys; ++j) w.push_back(model.weight(j, output));
    return w;
  }
  // No step of this length in any of many directions leads below.
  void expect_optimum(const std::string& loss, const SerialHost& host, double l2, bool weighted, bool intercept_too) {
    const std::vector<double> w = weights_of(host);
    const double here = objective(loss, w, l2, weighted, intercept_too);
    const std::vector<double> terms = host.evaluate();
    EXPECT_NEAR(terms[sgd::kLoss] + terms[sgd::kPenalty], here, 1e-12) << loss;
    Random random = random_named({6});
    for (int i = 0; i < 300; ++i) {
      std::vector<double> there = w;
      const std::size_t one = random.below(2 * kKeys);  // along an axis, or anywhere
      for (std::size_t j = 0; j < kKeys; ++j)
        if (one >= kKeys || one == j) there[j] += 1e-3 * (2 * random.uniform() - 1);
      EXPECT_GE(objective(loss, there, l2, weighted, intercept_too), here * (1 - 1e-9)) << loss << " " << i;
    }
  }

  ScratchFiles files_;
  std::string weights_;
  std::vector<PlainSgd::Row> rows_;
  std::vector<double> labels_, counts_;
};

TEST_F(SgdExact, NewtonEndsAtTheOptimum) {
  for (const std::string loss : {"logistic", "squared", "squared_hinge"})
    for (const bool weighted : {false, true})
      for (const bool intercept_too : {false, true}) {
        Given options = {{"loss", loss}, {"optimizer", "newton"}, {"l2", "0.01"}, {"tolerance", "1e-9"}};
        options["penalize_intercept"] = intercept_too ? "true" : "false";
        if (weighted) options["weights"] = weights_;
        SerialHost host(linked_plugin(), job(options));
        host.run();
        EXPECT_EQ(host.converged(), true);
        EXPECT_LT(host.epochs(), 20U) << "few steps are enough";
        expect_optimum(loss, host, 0.01, weighted, intercept_too);
      }
}

TEST_F(SgdExact, TheDualEndsAtTheOptimum) {
  for (const std::string loss : {"hinge", "squared_hinge"})
    for (const bool weighted : {false, true})
      for (const bool intercept_too : {false, true}) {
        Given options = {{"loss", loss}, {"optimizer", "dual"}, {"l2", "0.01"}, {"tolerance", "1e-10"}};
        options["penalize_intercept"] = intercept_too ? "true" : "false";
        if (weighted) options["weights"] = weights_;
        SerialHost host(linked_plugin(), job(options));
        host.run();
        EXPECT_EQ(host.converged(), true) << loss;
        EXPECT_LT(host.epochs(), 60U) << "few steps are enough";
        expect_optimum(loss, host, 0.01, weighted, intercept_too);
      }
}

TEST_F(SgdExact, TheDualAndNewtonAgree) {
  const Given common = {{"loss", "squared_hinge"}, {"l2", "0.02"}, {"tolerance", "1e-12"}};
  Given newton = common, dual = common;
  newton["optimizer"] = "newton";
  dual["optimizer"] = "dual";
  SerialHost one(linked_plugin(), job(newton)), other(linked_plugin(), job(dual));
  one.run();
  other.run();
  for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(weights_of(one)[j], weights_of(other)[j], 1e-5) << j;
}

TEST_F(SgdExact, ShardsChangeNothingButRounding) {
  for (const char* const optimizer : {"newton", "dual"}) {
    std::vector<std::vector<double>> found;
    for (const char* const shards : {"1", "5"}) {
      SerialHost host(linked_plugin(), job({{"loss", "squared_hinge"},
                                            {"optimizer", optimizer},
                                            {"l2", "0.02"},
                                            {"tolerance", "1e-12"},
                                            {"shards", shards}}));
      host.run();
      found.push_back(weights_of(host));
    }
    for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(found[0][j], found[1][j], 1e-5) << optimizer;
  }
}

// Each output is the fit of its class against all others.
TEST_F(SgdExact, OneAgainstRestIsAFitForEachClass) {
  for (const auto& [loss, optimizer] : {std::pair{"logistic", "newton"}, {"hinge", "dual"}}) {
    const Given options = {{"loss", loss}, {"optimizer", optimizer}, {"l2", "0.02"}, {"tolerance", "1e-11"}};
    Given all = options;
    all["one_against_rest"] = "true";
    SerialHost host(linked_plugin(), job(all, 3));
    host.run();
    EXPECT_EQ(host.converged(), true);
    double objectives = 0;
    const std::vector<double> labels = labels_;
    for (std::uint32_t k = 0; k < 3; ++k) {
      for (std::size_t r = 0; r < kRows; ++r) labels_[r] = labels[r] == k + 1 ? 2 : 1;
      SerialHost alone(linked_plugin(), job(options));
      alone.run();
      const std::vector<double> mine = weights_of(host, k), other = weights_of(alone);
      const double near = loss == std::string("logistic") ? 1e-6 : 1;  // hinges may have more than one optimum
      for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(mine[j], other[j], near) << k;
      objectives += objective(loss, other, 0.02, false, false);
    }
    labels_ = labels;
    const std::vector<double> terms = host.evaluate();
    EXPECT_NEAR(terms[sgd::kLoss] + terms[sgd::kPenalty], objectives, 1e-8) << loss;
  }
}

TEST_F(SgdExact, ARestoredJobGoesOnAlike) {
  for (const auto& [optimizer, loss, epochs] :
       {std::tuple{"newton", "squared_hinge", 2}, {"dual", "squared_hinge", 2}, {"dual", "hinge", 6}}) {
    const auto options = job({{"loss", loss}, {"optimizer", optimizer}, {"l2", "1e-4"}, {"tolerance", "1e-15"}});
    SerialHost whole(linked_plugin(), options);
    whole.run_epochs(epochs);
    const SerialHost::Snapshot middle = whole.save();
    whole.run_epochs(epochs);
    SerialHost resumed(linked_plugin(), options);
    resumed.restore(middle);
    resumed.run_epochs(epochs);
    EXPECT_EQ(resumed.save(), whole.save()) << optimizer << " " << loss;
  }
}

// A direction that no row has anything to say about must not make numbers of nothing.
TEST_F(SgdExact, SeparableRowsAndNoPenaltyEnd) {
  for (std::size_t r = 0; r < kRows; ++r) labels_[r] = rows_[r][1] > 0 ? 2 : 1;
  SerialHost host(linked_plugin(), job({{"loss", "logistic"}, {"optimizer", "newton"}, {"epochs", "60"}}));
  host.run();
  for (const double w : weights_of(host)) EXPECT_TRUE(std::isfinite(w));
  EXPECT_EQ(host.evaluate()[sgd::kRight], kRows);
}

}  // namespace
}  // namespace rota::tests
