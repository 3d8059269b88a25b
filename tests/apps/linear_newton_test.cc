// tests/apps/linear_newton_test.cc -- newton and svm over the serial host: they end at an optimum.
#include "tests/apps/linear_optimum.h"

namespace rota::tests {
namespace {

class LinearNewton : public LinearOptimum {};

TEST_F(LinearNewton, NewtonEndsAtTheOptimum) {
  for (const char* const loss : {"logistic", "squared", "squared_hinge"})
    expect_ends_at_optimum(loss, {{"solver", "newton"}, {"tolerance", "1e-9"}}, 20);
}

TEST_F(LinearNewton, TheSvmEndsAtTheOptimum) {
  for (const char* const loss : {"hinge", "squared_hinge"})
    expect_ends_at_optimum(loss, {{"solver", "svm"}, {"tolerance", "1e-10"}}, 60);
}

TEST_F(LinearNewton, TheSvmAndNewtonAgree) {
  const Given common = {{"loss", "squared_hinge"}, {"l2", "0.02"}, {"tolerance", "1e-12"}};
  Given newton = common, svm = common;
  newton["solver"] = "newton";
  svm["solver"] = "svm";
  LinearHost one(job(newton)), other(job(svm));
  one.run();
  other.run();
  for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(weights_of(one)[j], weights_of(other)[j], 1e-5) << j;
}

TEST_F(LinearNewton, ShardsChangeNothingButRounding) {
  for (const char* const solver : {"newton", "svm"}) {
    std::vector<std::vector<double>> found;
    for (const char* const shards : {"1", "5"}) {
      LinearHost host(job(
          {{"loss", "squared_hinge"}, {"solver", solver}, {"l2", "0.02"}, {"tolerance", "1e-12"}, {"shards", shards}}));
      host.run();
      found.push_back(weights_of(host));
    }
    for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(found[0][j], found[1][j], 1e-5) << solver;
  }
}

// Two features of a row may share a key: as separate entries, the Hessian lacked their product.
TEST_F(LinearNewton, NewtonEndsSoonWithHashedFeatures) {
  for (const char* const bits : {"1", "2"}) {
    LinearHost host(job({{"solver", "newton"}, {"l2", "1e-4"}, {"bits", bits}, {"tolerance", "1e-9"}}));
    host.run();
    EXPECT_EQ(host.converged(), true);
    EXPECT_LT(host.epochs(), 10U) << bits;
  }
}

// Each output is the fit of its class against all others.
TEST_F(LinearNewton, OneAgainstRestIsAFitForEachClass) {
  for (const auto& [loss, solver] : {std::pair{"logistic", "newton"}, {"hinge", "svm"}}) {
    const Given options = {{"loss", loss}, {"solver", solver}, {"l2", "0.02"}, {"tolerance", "1e-11"}};
    Given all = options;
    all["one_against_rest"] = "true";
    LinearHost host(job(all, 3));
    host.run();
    EXPECT_EQ(host.converged(), true);
    double objectives = 0;
    const std::vector<double> labels = labels_;
    for (std::uint32_t k = 0; k < 3; ++k) {
      for (std::size_t r = 0; r < kRows; ++r) labels_[r] = labels[r] == k + 1 ? 2 : 1;
      LinearHost alone(job(options));
      alone.run();
      const std::vector<double> mine = weights_of(host, k), other = weights_of(alone);
      const double near = loss == std::string("logistic") ? 1e-6 : 1;  // hinges may have more than one optimum
      for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(mine[j], other[j], near) << k;
      objectives += objective(loss, other, 0.02, false, false);
    }
    labels_ = labels;
    auto terms = terms_of(host);
    EXPECT_NEAR(terms["loss"] + terms["penalty"], objectives, 1e-8) << loss;
  }
}

TEST_F(LinearNewton, ARestoredJobContinuesAlike) {
  for (const auto& [solver, loss, epochs] :
       {std::tuple{"newton", "squared_hinge", 2}, {"svm", "squared_hinge", 2}, {"svm", "hinge", 6}}) {
    SCOPED_TRACE(std::string(solver) + " " + loss);
    const Job one = job({{"loss", loss}, {"solver", solver}, {"l2", "1e-4"}, {"tolerance", "1e-15"}});
    expect_resumed_alike(one, epochs, epochs);
  }
}

// A direction without data must not give NaN.
TEST_F(LinearNewton, SeparableRowsAndNoPenaltyEnd) {
  for (std::size_t r = 0; r < kRows; ++r) labels_[r] = rows_[r][1] > 0 ? 2 : 1;
  LinearHost host(job({{"loss", "logistic"}, {"solver", "newton"}, {"epochs", "60"}}));
  host.run();
  for (const double w : weights_of(host)) EXPECT_TRUE(std::isfinite(w));
  EXPECT_EQ(terms_of(host)["right"], kRows);
}

}  // namespace
}  // namespace rota::tests
