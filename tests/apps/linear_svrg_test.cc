// tests/apps/linear_svrg_test.cc -- svrg over the serial host: it ends at the optimum for any loss, penalties and rate.
#include "tests/apps/linear_optimum.h"

namespace rota::tests {
namespace {

class LinearSvrg : public LinearOptimum {
 protected:
  static Given svrg(const std::string& loss, const char* l2) {
    return {{"loss", loss}, {"solver", "svrg"}, {"l2", l2}, {"tolerance", "1e-7"}};
  }
};

TEST_F(LinearSvrg, EndsAtTheOptimum) {
  for (const char* const loss : {"logistic", "squared", "squared_hinge"})
    expect_ends_at_optimum(loss, {{"solver", "svrg"}, {"tolerance", "1e-7"}}, 400);
}

TEST_F(LinearSvrg, TheL1PenaltyIsExactToo) {
  l1_ = 0.05;
  for (const std::string loss : {"logistic", "squared"}) {
    Given options = svrg(loss, "0.01");
    options["l1"] = "0.05";
    LinearHost host(job(options));
    host.run();
    EXPECT_EQ(host.converged(), true) << loss;
    expect_optimum(loss, host, 0.01, false, false);
    const std::vector<double> w = weights_of(host);
    EXPECT_GT(std::count(w.begin(), w.end(), 0.0), 0) << "such a penalty makes weights 0";
  }
}

// Of two classes, the difference of softmax's weights is a logistic model with half the penalty.
TEST_F(LinearSvrg, SoftmaxOfTwoClassesIsLogistic) {
  LinearHost softmax(job(svrg("softmax", "0.02")));
  LinearHost logistic(job({{"solver", "newton"}, {"l2", "0.01"}, {"tolerance", "1e-9"}}));
  softmax.run();
  logistic.run();
  EXPECT_EQ(softmax.converged(), true);
  const std::vector<double> first = weights_of(softmax, 0), second = weights_of(softmax, 1), w = weights_of(logistic);
  for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(second[j] - first[j], w[j], 1e-4) << j;
}

TEST_F(LinearSvrg, OneAgainstRestIsThatOfNewton) {
  Given options = svrg("logistic", "0.02");
  options["one_against_rest"] = "true";
  LinearHost mine(job(options, 3));
  options["solver"] = "newton";
  LinearHost other(job(options, 3));
  mine.run();
  other.run();
  EXPECT_EQ(mine.converged(), true);
  for (std::uint32_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(weights_of(mine, k)[j], weights_of(other, k)[j], 1e-4);
}

// Passes with steps that are too long are undone until they are short enough.
TEST_F(LinearSvrg, AnyRateEndsAtTheOptimum) {
  for (const char* const rate : {"50", "100000"}) {
    Given options = svrg("squared", "0.01");
    options["learning_rate"] = rate;
    LinearHost host(job(options));
    double before = terms_of(host)["loss"];
    for (int epoch = 0; epoch < 10; ++epoch) {
      host.run_epoch();
      auto terms = terms_of(host);
      const double now = terms["loss"] + terms["penalty"];
      EXPECT_LE(now, before * (1 + 1e-12)) << rate << ", epoch " << epoch;
      before = now;
    }
    host.run();
    EXPECT_EQ(host.converged(), true) << rate;
    expect_optimum("squared", host, 0.01, false, false);
  }
}

// Only the largest column's gradient was checked, and the job ended long before the others were fitted.
TEST_F(LinearSvrg, ALargeColumnDoesNotEndTheJobEarly) {
  Given options = svrg("logistic", "0");
  options["tolerance"] = "1e-4";
  LinearHost plain(job(options));
  plain.run();
  for (PlainSgd::Row& row : rows_) row[3] *= 1048576;
  LinearHost host(job(options));
  host.run();
  EXPECT_EQ(host.converged(), true);
  EXPECT_EQ(host.epochs(), plain.epochs());
  EXPECT_NEAR(terms_of(host)["loss"], terms_of(plain)["loss"], 1e-9);
}

TEST_F(LinearSvrg, ARestoredJobContinuesAlike) {
  Given options = svrg("softmax", "0.01");
  options["l1"] = "0.001";
  options["tolerance"] = "1e-15";
  const Job one = job(options, 3);
  expect_resumed_alike(one, 3, 3);
}

}  // namespace
}  // namespace rota::tests
