// tests/unit/apps/lasso/solver/descent_test.cc -- coordinate descent on an ActiveProblem.
#include "apps/lasso/solver/descent.h"

#include "tests/unit/apps/lasso/lasso_fixture.h"

namespace rota::lasso {
namespace {

// An ActiveProblem of all of an instance's columns, without coefficients, and its data.
struct Whole {
  WorkingColumns columns;
  Gram gram;
  std::vector<double> g, scratch;
  ActiveProblem problem;

  Whole(const Instance& it, double l1) : columns(it.rows()) {
    scratch.resize(it.rows());
    g = numbers(ReducedProblem(it.loss, it.intercept, it.y, it.w).gradient());
    problem = {&columns, it.w, g, scratch, it.intercept ? 1.0 : 0.0, 0, {}};
    std::vector<std::uint32_t> all;
    for (std::uint32_t j = 0; j < it.columns(); ++j) {
      std::vector<std::uint32_t> rows;
      std::vector<double> values;
      for (std::uint32_t i = 0; i < it.rows(); ++i)
        if (it.x[j][i] != 0) rows.push_back(i), values.push_back(it.x[j][i]);
      columns.add<double>(j, 1, rows, values);
      problem.coordinates.push_back({j, 0, it.dot(j, g), l1, 0, columns.moments(j, it.w, 1, it.intercept)});
      all.push_back(j);
    }
    for (std::size_t i = 0; i < it.rows(); ++i) problem.residual_square += it.w[i] > 0 ? g[i] * g[i] / it.w[i] : 0;
    gram.begin(it.w);
    gram.add(columns, all);
    problem.gram = &gram;
    problem.epoch_cost = 1000;
  }
  static std::vector<double> numbers(std::span<const double> of) { return {of.begin(), of.end()}; }
  std::vector<double> coefficients() const {
    std::vector<double> b;
    for (const ActiveCoordinate& it : problem.coordinates) b.push_back(it.coefficient);
    return b;
  }
};

TEST(Descent, ItsGapIsThatOfTheProblem) {
  const Instance it = random_instance({.intercept = true, .weighted = true});
  const Penalty penalty{0.1 * largest_l1(it), 0};
  for (const bool by_gram : {false, true}) {
    Whole whole(it, penalty.l1);
    const Descent done =
        by_gram ? descend_on_gram(whole.problem, 1e-6, 1000) : descend_on_columns(whole.problem, 1e-6, 1000);
    EXPECT_LE(done.gap, 1e-6);
    ReducedProblem problem = problem_of(it);
    problem.set_coefficients(whole.coefficients());
    const SolveStatistics at = problem.solve(penalty, 1, {});
    EXPECT_NEAR(done.gap, at.gap, 1e-14);
  }
}

TEST(Descent, EndsAfterItsEpochs) {
  const Instance it = random_instance({});
  for (const std::uint64_t most : {0, 1, 7}) {
    Whole whole(it, 1e-3);
    EXPECT_EQ(descend_on_columns(whole.problem, 0, most).epochs, most);
    Whole other(it, 1e-3);
    const Descent done = descend_on_gram(other.problem, 0, most);
    EXPECT_EQ(done.epochs, most);
    EXPECT_GT(done.gap, 0);
  }
}

TEST(Descent, NearlyDependentColumnsAreSolvedForAtOnce) {
  Instance it = random_instance({.columns = 10, .density = 1});
  for (std::size_t j = 1; j < it.columns(); ++j)
    for (std::size_t i = 0; i < it.rows(); ++i) it.x[j][i] = it.x[j - 1][i] + 1e-3 * it.x[j][i];
  for (const Method method : {Method::columns, Method::gram}) {
    ReducedProblem problem = problem_of(it);
    problem.set_method(method);
    const SolveStatistics done = problem.solve({1e-4 * largest_l1(it), 0}, 1e-10);
    EXPECT_TRUE(done.converged);
    EXPECT_LT(done.epochs, 2000U);
  }
}

TEST(SupportStep, EndsWhereTheSupportsGradientIsTheThreshold) {
  for (const bool intercept : {false, true}) {
    const Instance it = random_instance({.columns = 6, .intercept = intercept});
    Whole whole(it, 0.01);
    std::vector<double> values(6, 0.0), gradients, step;
    for (const ActiveCoordinate& coordinate : whole.problem.coordinates) gradients.push_back(coordinate.gradient);
    EXPECT_FALSE(support_step(whole.problem, values, gradients, step));
    values = {0.5, 0, -0.25, 0, 1, 0};
    const std::vector<double> f = it.fitted(values, 0);
    std::vector<double> g(it.rows());
    double sum = 0;
    for (std::size_t i = 0; i < it.rows(); ++i) sum += g[i] = it.w[i] * (it.y[i] - f[i]);
    for (std::size_t i = 0; intercept && i < it.rows(); ++i) g[i] -= it.w[i] * sum;
    for (std::size_t j = 0; j < 6; ++j) gradients[j] = it.dot(j, g);
    ASSERT_TRUE(support_step(whole.problem, values, gradients, step));
    ReducedProblem there = problem_of(it);
    std::vector<double> b = values;
    for (std::size_t j = 0; j < 6; ++j) b[j] += step[j];
    there.set_coefficients(b);
    for (std::size_t j = 0; j < 6; ++j) {
      if (values[j] == 0)
        EXPECT_EQ(step[j], 0);
      else
        EXPECT_NEAR(it.dot(j, there.gradient()), std::copysign(0.01, values[j]), 1e-9);
    }
    // Without given products it computes them.
    std::vector<double> again;
    whole.problem.gram = nullptr;
    ASSERT_TRUE(support_step(whole.problem, values, gradients, again));
    EXPECT_EQ(step, again);
  }
}

}  // namespace
}  // namespace rota::lasso
