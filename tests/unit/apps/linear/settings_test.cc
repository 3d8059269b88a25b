#include "apps/linear/settings.h"

#include "tests/unit/apps/linear_models/options_with.h"

namespace rota::optimum {
namespace {

using tests::Given;

Options with(const Given& given) {
  return tests::options_with<Settings>(given);
}
Solver solver(const Given& given) {
  return settings_of(with(given)).solver;
}

TEST(LinearSettings, TheSolverFollowsFromTheLoss) {
  EXPECT_EQ(solver({}), Solver::newton);
  EXPECT_EQ(solver({{"loss", "squared_hinge"}, {"l2", "1"}}), Solver::newton);
  EXPECT_EQ(solver({{"loss", "hinge"}, {"l2", "1"}}), Solver::svm);
  EXPECT_EQ(solver({{"loss", "softmax"}}), Solver::svrg);
  EXPECT_EQ(solver({{"l1", "1"}}), Solver::svrg);
  EXPECT_EQ(solver({{"solver", "svrg"}}), Solver::svrg);
}

TEST(LinearSettings, WhatDoesNotGoTogetherIsRefused) {
  for (const Given& wrong :
       {Given{{"loss", "squared"}, {"class_weights", "balanced"}},
        Given{{"loss", "softmax"}, {"one_against_rest", "true"}}, Given{{"solver", "svm"}, {"l2", "1"}},
        Given{{"loss", "hinge"}}, Given{{"solver", "newton"}, {"loss", "hinge"}},
        Given{{"solver", "newton"}, {"l1", "1"}}, Given{{"loss", "hinge"}, {"l2", "1"}, {"l1", "1"}},
        Given{{"solver", "svrg"}, {"loss", "hinge"}}})
    EXPECT_THROW(settings_of(with(wrong)), UsageError);
  EXPECT_NO_THROW(settings_of(with({{"solver", "svrg"}, {"loss", "softmax"}, {"l1", "1"}})));
}

}  // namespace
}  // namespace rota::optimum
