#include "apps/lasso/solver/reduced_problem.h"

#include "tests/unit/apps/lasso/lasso_fixture.h"

namespace rota::lasso {
namespace {

constexpr double kTolerance = 1e-13;

std::vector<double> numbers(std::span<const double> of) {
  return {of.begin(), of.end()};
}

std::string name_of(const Shape& shape, double l1_ratio) {
  return std::string(shape.loss == Loss::squared ? "squared" : "logistic") + (shape.intercept ? " intercept" : "") +
         (shape.standardize ? " standardize" : "") + (shape.weighted ? " weighted" : "") + " density " +
         std::to_string(shape.density) + " l1_ratio " + std::to_string(l1_ratio);
}

// All combinations of options, sparse and dense, more rows than columns and fewer.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Loss loss : {Loss::squared, Loss::logistic})
    for (const bool intercept : {false, true})
      for (const bool standardize : {false, true})
        for (const bool weighted : {false, true})
          for (const double density : {0.2, 1.0})
            all.push_back({40, 15, density, loss, intercept, standardize, weighted, all.size() + 1});
  return all;
}

TEST(ReducedProblem, EveryOptionHasTheOptimumOfPlainCoordinateDescent) {
  for (const Shape& shape : shapes()) {
    const Instance it = random_instance(shape);
    for (const double l1_ratio : {1.0, 0.5}) {
      SCOPED_TRACE(name_of(shape, l1_ratio));
      const double lambda = 0.1 * largest_l1(it);
      const Penalty penalty{lambda * l1_ratio, lambda * (1 - l1_ratio)};
      ReducedProblem problem = problem_of(it);
      const SolveStatistics done = problem.solve(penalty, kTolerance);
      EXPECT_TRUE(done.converged) << done.gap;
      const Fit plain = solve_plainly(it, penalty);
      EXPECT_NEAR(problem.objective(penalty), it.objective(penalty, plain.b, plain.b0), 1e-12);
      EXPECT_NEAR(problem.intercept(), plain.b0, 1e-8);
      for (std::size_t j = 0; j < it.columns(); ++j) EXPECT_NEAR(problem.coefficients()[j], plain.b[j], 1e-8) << j;
    }
  }
}

TEST(ReducedProblem, OptimalityConditionsHold) {
  for (Shape shape : shapes()) {
    for (const std::size_t columns : {15, 120}) {
      shape.columns = columns;
      const Instance it = random_instance(shape);
      for (const double ratio : {0.5, 0.05}) {
        SCOPED_TRACE(name_of(shape, 1) + " columns " + std::to_string(columns) + " ratio " + std::to_string(ratio));
        const Penalty penalty{ratio * largest_l1(it), 0};
        ReducedProblem problem = problem_of(it);
        EXPECT_TRUE(problem.solve(penalty, kTolerance).converged);
        problem.solve(penalty, 0);  // up to rounding
        EXPECT_LE(violation(it, penalty, problem.coefficients(), problem.intercept()), 1e-10);
        EXPECT_NEAR(problem.objective(penalty), it.objective(penalty, problem.coefficients(), problem.intercept()),
                    1e-14 * (1 + problem.objective(penalty)));
      }
    }
  }
}

TEST(ReducedProblem, ProductsAndColumnsLeadToTheSameOptimum) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(name_of(shape, 0.9));
    const Instance it = random_instance(shape);
    const double lambda = 0.05 * largest_l1(it);
    const Penalty penalty{0.9 * lambda, 0.1 * lambda};
    ReducedProblem by_columns = problem_of(it), by_gram = problem_of(it);
    by_columns.set_method(Method::columns);
    by_gram.set_method(Method::gram);
    const SolveStatistics columns = by_columns.solve(penalty, kTolerance);
    const SolveStatistics gram = by_gram.solve(penalty, kTolerance);
    EXPECT_EQ(columns.gram_rounds, 0U);
    EXPECT_EQ(gram.gram_rounds, gram.rounds);
    EXPECT_TRUE(columns.converged && gram.converged);
    EXPECT_NEAR(by_columns.objective(penalty), by_gram.objective(penalty), 1e-12 * by_gram.objective(penalty));
  }
}

TEST(ReducedProblem, GradientsSumUpToZeroWithAnIntercept) {
  for (const Shape& shape : shapes()) {
    if (!shape.intercept) continue;
    SCOPED_TRACE(name_of(shape, 1));
    const Instance it = random_instance(shape);
    ReducedProblem problem = problem_of(it);
    double sum = 0;
    for (const double g : problem.gradient()) sum += g;
    EXPECT_LE(std::abs(sum), 1e-15);
    problem.solve({0.2 * largest_l1(it), 0}, 1e-6);
    sum = 0;
    for (const double g : problem.gradient()) sum += g;
    EXPECT_LE(std::abs(sum), 1e-15);
  }
}

TEST(ReducedProblem, TheGapOfAllColumnsBoundsWhatIsMissing) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(name_of(shape, 0.8));
    const Instance it = random_instance(shape);
    const double lambda = 0.1 * largest_l1(it);
    const Penalty penalty{0.8 * lambda, 0.2 * lambda};
    ReducedProblem all = problem_of(it), some(it.loss, it.intercept, it.y, it.w);
    all.solve(penalty, kTolerance);
    add_columns(some, it, 0, it.columns() / 3);
    some.solve(penalty, kTolerance);
    double ratio = 0;
    for (std::size_t j = 0; j < it.columns(); ++j)
      ratio = std::max(ratio, constraint_ratio(penalty, it.scale[j], some.coefficient(j), it.dot(j, some.gradient())));
    const double gap = some.gap(penalty, ratio).gap;
    EXPECT_GE(gap, some.objective(penalty) - all.objective(penalty) - 1e-14);
    EXPECT_LE(gap, some.objective(penalty) + 1e-14);
  }
}

TEST(ReducedProblem, ColumnsThatComeLaterLeadToTheSameOptimum) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(name_of(shape, 1));
    const Instance it = random_instance(shape);
    const Penalty penalty{0.1 * largest_l1(it), 0};
    ReducedProblem all = problem_of(it), some(it.loss, it.intercept, it.y, it.w);
    all.solve(penalty, kTolerance);
    for (std::size_t from = 0; from < it.columns(); from += 5) {
      add_columns(some, it, from, from + 5);
      some.solve(penalty, 1e-4);
      std::vector<std::uint64_t> except = {from, 999};
      some.drop_zeros(except);
      EXPECT_TRUE(some.contains(from));
      for (std::size_t j = 0; j < some.coefficients().size(); ++j)
        EXPECT_TRUE(some.coefficients()[j] != 0 || some.key(j) == from);
    }
    // Dropped columns come back.
    for (std::size_t j = 0; j < it.columns(); ++j)
      if (!some.contains(j)) add_columns(some, it, j, j + 1);
    some.solve(penalty, kTolerance);
    EXPECT_NEAR(some.objective(penalty), all.objective(penalty), 1e-12);
    for (std::size_t j = 0; j < it.columns(); ++j) EXPECT_NEAR(some.coefficient(j), all.coefficient(j), 1e-8);
  }
}

TEST(ReducedProblem, WarmStartsOfAPathEndWhereColdOnesDo) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(name_of(shape, 1));
    const Instance it = random_instance(shape);
    const double most = largest_l1(it);
    ReducedProblem warm = problem_of(it);
    for (const double ratio : {1.1, 0.6, 0.3, 0.1, 0.03}) {
      const Penalty penalty{ratio * most, 0};
      ReducedProblem cold = problem_of(it);
      EXPECT_TRUE(cold.solve(penalty, kTolerance).converged);
      EXPECT_TRUE(warm.solve(penalty, kTolerance).converged);
      EXPECT_NEAR(warm.objective(penalty), cold.objective(penalty), 1e-12);
      EXPECT_EQ(ratio > 1, warm.nonzeros() == 0);
    }
    warm.reset();
    EXPECT_EQ(warm.nonzeros(), 0U);
    EXPECT_NEAR(warm.loss(), ReducedProblem(it.loss, it.intercept, it.y, it.w).loss(), 1e-15);
  }
}

TEST(ReducedProblem, OtherWeightsAreAnotherProblem) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(name_of(shape, 1));
    const Instance first = random_instance(shape);
    Instance second = first;
    double sum = 0;
    for (std::size_t i = 0; i < second.rows(); ++i) sum += second.w[i] = i % 3 == 0 ? 0 : 1;
    for (double& weight : second.w) weight /= sum;
    const Penalty penalty{0.1 * largest_l1(second), 0};
    ReducedProblem problem = problem_of(first), fresh = problem_of(second);
    for (const Method method : {Method::columns, Method::gram}) {
      problem.set_method(method);
      problem.set_weights(first.w);
      problem.solve(penalty, 1e-6);
      const std::vector<double> coefficients = numbers(problem.coefficients());
      problem.set_weights(second.w);
      EXPECT_EQ(numbers(problem.coefficients()), coefficients);
      problem.solve(penalty, kTolerance);
      fresh.solve(penalty, kTolerance);
      EXPECT_NEAR(problem.objective(penalty), fresh.objective(penalty), 1e-12);
      EXPECT_LE(violation(second, penalty, problem.coefficients(), problem.intercept()), 1e-10);
    }
  }
}

// Newton steps alone go about 1 in every row's margin at a time, and the first ones change all curvatures.
TEST(ReducedProblem, StepsTowardsRowsFarOnTheirSideAreStretched) {
  Instance it = random_instance({.rows = 400, .columns = 6, .density = 1, .loss = Loss::logistic});
  for (std::vector<double>& column : it.x)
    for (double& x : column) x = std::abs(x);
  for (std::size_t i = 0; i < it.rows(); ++i) it.y[i] = i % 40 == 0 ? 1 : -1;
  const Penalty penalty{1e-3 * largest_l1(it), 0};
  ReducedProblem problem = problem_of(it);
  const SolveStatistics done = problem.solve(penalty, 1e-8);
  EXPECT_TRUE(done.converged);
  EXPECT_LE(done.rounds, 7U);
  const Fit plain = solve_plainly(it, penalty);
  EXPECT_NEAR(problem.objective(penalty), it.objective(penalty, plain.b, plain.b0), 1e-8);
}

TEST(ReducedProblem, HeldOutRowsAreFittedAndScored) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    const Instance it = random_instance({.loss = loss, .intercept = true, .weighted = true});
    ReducedProblem problem = problem_of(it);
    problem.solve({0.1 * largest_l1(it), 0}, 1e-10);
    const std::vector<double> f = it.fitted(problem.coefficients(), problem.intercept());
    std::vector<double> held_out(it.rows());
    double sum = 0, loss_sum = 0;
    for (std::size_t i = 0; i < it.rows(); ++i) {
      EXPECT_NEAR(problem.fitted()[i], f[i], 1e-13);
      held_out[i] = it.w[i] == 0 ? 0.25 : 0;
      sum += held_out[i];
      loss_sum += held_out[i] * (loss == Loss::squared ? (it.y[i] - f[i]) * (it.y[i] - f[i]) / 2
                                                       : std::log1p(std::exp(-it.y[i] * f[i])));
    }
    const Score score = problem.score(held_out);
    EXPECT_EQ(score.weight, sum);
    EXPECT_NEAR(score.loss, loss_sum, 1e-13);
    EXPECT_NEAR(problem.score(it.w).loss, problem.loss(), 1e-14);
  }
}

// One sequence of all changes of a problem, in steps.
void take_step(ReducedProblem& problem, const Instance& it, double lambda, int step) {
  const std::size_t third = it.columns() / 3;
  if (step < 3)
    add_columns(problem, it, static_cast<std::size_t>(step) * third, static_cast<std::size_t>(step + 1) * third);
  if (step == 4) problem.drop_zeros({});
  if (step == 5) problem.set_weights(random_instance({.rows = it.rows(), .columns = 1, .weighted = true}).w);
  problem.solve({lambda / (1 + step), lambda / 50}, step == 2 ? 1e-11 : 1e-5);
}

void write_state(ReducedProblem& problem, Writer& out) {
  Archive list(out);
  problem.state(list);
}
void read_state(ReducedProblem& problem, Reader& in) {
  Archive list(in);
  problem.state(list);
}

TEST(ReducedProblem, ARestoredProblemContinuesBitForBit) {
  for (const Shape& shape : shapes()) {
    for (const Method method : {Method::automatic, Method::gram}) {
      SCOPED_TRACE(name_of(shape, 1));
      const Instance it = random_instance(shape);
      const double lambda = 0.5 * largest_l1(it);
      for (int stop = 0; stop < 6; ++stop) {
        ReducedProblem one(it.loss, it.intercept, it.y, it.w);
        one.set_method(method);
        for (int step = 0; step <= stop; ++step) take_step(one, it, lambda, step);
        Writer out;
        write_state(one, out);
        const std::vector<double> equal(it.rows(), 1.0 / static_cast<double>(it.rows()));
        ReducedProblem other(it.loss, it.intercept, it.y, equal);
        other.set_method(method);
        Reader in(out.view());
        read_state(other, in);
        ASSERT_TRUE(in.done());
        EXPECT_EQ(numbers(one.gradient()), numbers(other.gradient()));
        for (int step = stop + 1; step < 8; ++step) {
          take_step(one, it, lambda, step);
          take_step(other, it, lambda, step);
          ASSERT_EQ(numbers(one.coefficients()), numbers(other.coefficients())) << stop << ' ' << step;
          ASSERT_EQ(numbers(one.fitted()), numbers(other.fitted()));
          ASSERT_EQ(one.intercept(), other.intercept());
        }
        Writer again, of_other;
        write_state(one, again);
        write_state(other, of_other);
        EXPECT_TRUE(std::ranges::equal(again.view(), of_other.view()));
      }
    }
  }
}

TEST(ReducedProblem, DamagedStatesAreRefused) {
  const Instance it = random_instance({.rows = 6, .columns = 4, .intercept = true});
  ReducedProblem problem = problem_of(it);
  problem.solve({0.1 * largest_l1(it), 0}, 1e-8);
  Writer out;
  write_state(problem, out);
  for (std::size_t size = 0; size < out.view().size(); ++size) {
    ReducedProblem other = problem_of(it);
    Reader in(out.view().first(size));
    read_state(other, in);
    EXPECT_FALSE(in.ok()) << size;
  }
  ReducedProblem longer(it.loss, it.intercept, std::vector<double>(7, 1.0), std::vector<double>(7, 1.0 / 7));
  Reader in(out.view());
  read_state(longer, in);
  EXPECT_FALSE(in.ok());
}

TEST(ReducedProblem, ConstantEmptyAndUnscaledColumnsStayZero) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    Instance it = random_instance({.columns = 8, .density = 1, .loss = loss, .intercept = true, .weighted = true});
    it.x[0].assign(it.rows(), 0.1);
    it.x[1].assign(it.rows(), 0.0);
    it.scale[2] = 0;
    for (std::size_t i = 0; i < it.rows(); ++i)  // constant on the rows with weight
      it.x[3][i] = it.w[i] > 0 ? -3.3 : 5;
    const Penalty penalty{1e-9, 0};
    ReducedProblem problem = problem_of(it);
    EXPECT_TRUE(problem.solve({1e-3, 0}, kTolerance).converged);
    problem.solve(penalty, kTolerance);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(problem.coefficient(j), 0) << j;
    for (std::size_t j = 4; j < 8; ++j) EXPECT_NE(problem.coefficient(j), 0) << j;
  }
}

TEST(ReducedProblem, AWarmCoefficientOfAConstantColumnBecomesZero) {
  Instance it = random_instance({.columns = 8, .density = 1, .intercept = true});
  std::vector<double> half(it.rows(), 0.0);
  for (std::size_t i = 0; i < it.rows(); i += 2) {
    it.x[0][i] = 2;
    half[i] = 2.0 / static_cast<double>(it.rows());
  }
  ReducedProblem problem = problem_of(it);
  problem.solve({1e-6, 0}, kTolerance);
  EXPECT_NE(problem.coefficient(0), 0);
  problem.set_weights(half);
  EXPECT_TRUE(problem.solve({1e-6, 0}, kTolerance).converged);
  EXPECT_EQ(problem.coefficient(0), 0);
  it.w = half;
  EXPECT_LE(violation(it, {1e-6, 0}, problem.coefficients(), problem.intercept()), 1e-10);
}

TEST(ReducedProblem, DuplicateAndCorrelatedColumnsAreNoTrouble) {
  for (const Loss loss : {Loss::squared, Loss::logistic})
    for (const Method method : {Method::columns, Method::gram})
      for (const double share : {0.0, 1e-6, 0.05, 0.5}) {  // of a column's own part
        Instance it = random_instance({.columns = 12, .density = 1, .loss = loss, .intercept = true});
        for (std::size_t j = 1; j < it.columns(); ++j)
          for (std::size_t i = 0; i < it.rows(); ++i) it.x[j][i] = it.x[0][i] + share * it.x[j][i];
        const Penalty penalty{0.02 * largest_l1(it), 0};
        ReducedProblem problem = problem_of(it);
        problem.set_method(method);
        const SolveStatistics done = problem.solve(penalty, 1e-10);
        EXPECT_TRUE(done.converged) << share << ' ' << done.gap << ' ' << done.epochs;
        EXPECT_LE(violation(it, penalty, problem.coefficients(), problem.intercept()), 1e-6);
      }
}

TEST(ReducedProblem, ColumnsFarFromZeroKeepTheirDigits) {
  for (const Loss loss : {Loss::squared, Loss::logistic})
    for (const Method method : {Method::columns, Method::gram}) {
      Instance near = random_instance({.density = 1, .loss = loss, .intercept = true});
      Instance far = near;
      for (auto& column : far.x)
        for (double& value : column) value += 1024;
      const Penalty penalty{0.05 * largest_l1(near), 0};
      ReducedProblem of_near = problem_of(near), of_far = problem_of(far);
      of_far.set_method(method);
      EXPECT_TRUE(of_near.solve(penalty, kTolerance).converged);
      // The square of 1024 deviations costs the gap six digits.
      EXPECT_TRUE(of_far.solve(penalty, 1e-9).converged);
      for (std::size_t j = 0; j < near.columns(); ++j)
        EXPECT_NEAR(of_near.coefficients()[j], of_far.coefficients()[j], 1e-6);
    }
}

TEST(ReducedProblem, SeparableClassesHaveALargeButFiniteFit) {
  Instance it = random_instance({.rows = 30, .columns = 60, .density = 1, .loss = Loss::logistic, .intercept = true});
  const double most = largest_l1(it);
  ReducedProblem problem = problem_of(it);
  for (const double ratio : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    const SolveStatistics done = problem.solve({ratio * most, 0}, 1e-9 * std::log(2));
    EXPECT_TRUE(done.converged) << ratio << ' ' << done.gap;
    for (std::size_t i = 0; i < it.rows(); ++i) EXPECT_GT(it.y[i] * problem.fitted()[i], 0);
  }
  EXPECT_LT(problem.loss(), 1e-3);
}

TEST(ReducedProblem, RowsOfOneClassNeedNoCoefficient) {
  Instance it = random_instance({.loss = Loss::logistic, .intercept = true});
  std::fill(it.y.begin(), it.y.end(), 1.0);
  ReducedProblem problem = problem_of(it);
  const SolveStatistics done = problem.solve({1e-3, 0}, 1e-12);
  EXPECT_TRUE(done.converged);
  EXPECT_EQ(problem.nonzeros(), 0U);
  EXPECT_LT(problem.loss(), 1e-10);
  EXPECT_TRUE(std::isfinite(problem.intercept()));
}

TEST(ReducedProblem, WorkHasAnEndEvenWithoutAPenalty) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    const Instance it = random_instance({.columns = 10, .density = 1, .loss = loss, .intercept = true});
    ReducedProblem problem = problem_of(it);
    const SolveStatistics done = problem.solve({0, 0}, 1e-12, {.epochs = 300, .rounds = 50});
    EXPECT_LE(done.epochs, 310U);
    EXPECT_LE(done.rounds, 50U);
    EXPECT_FALSE(done.converged);
    for (const double b : problem.coefficients()) EXPECT_TRUE(std::isfinite(b));
    const SolveStatistics none = problem.solve({1e-8, 0}, 0, {.epochs = 0});
    EXPECT_EQ(none.epochs, 0U);
  }
}

TEST(ReducedProblem, AProblemWithoutColumnsIsSolved) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    const Instance it = random_instance({.loss = loss, .intercept = true});
    ReducedProblem problem(it.loss, it.intercept, it.y, it.w);
    EXPECT_TRUE(problem.solve({1, 0}, 1e-12).converged);
    EXPECT_EQ(problem.coefficient(3), 0);
  }
}

TEST(ReducedProblem, GivenCoefficientsAreTaken) {
  const Instance it = random_instance({.intercept = true});
  ReducedProblem problem = problem_of(it);
  std::vector<double> given(it.columns(), 0.25);
  problem.set_coefficients(given);
  EXPECT_EQ(numbers(problem.coefficients()), given);
  EXPECT_NEAR(problem.objective({0.1, 0.2}), it.objective({0.1, 0.2}, given, problem.intercept()), 1e-13);
  given.pop_back();
  EXPECT_THROW(problem.set_coefficients(given), std::invalid_argument);
}

TEST(ReducedProblem, InvalidInputIsRefused) {
  using Numbers = std::vector<double>;
  const double numbers[] = {1, 2}, not_finite[] = {1, NAN}, not_coded[] = {1, 0};
  EXPECT_THROW(ReducedProblem(Loss::squared, true, numbers, {1}), std::invalid_argument);
  EXPECT_THROW(ReducedProblem(Loss::squared, true, numbers, {1, 1}), std::invalid_argument);
  EXPECT_THROW(ReducedProblem(Loss::squared, true, numbers, {1.5, -0.5}), std::invalid_argument);
  EXPECT_THROW(ReducedProblem(Loss::squared, true, not_finite, {0.5, 0.5}), std::invalid_argument);
  EXPECT_THROW(ReducedProblem(Loss::logistic, true, not_coded, {0.5, 0.5}), std::invalid_argument);
  ReducedProblem problem(Loss::squared, true, numbers, {0.5, 0.5});
  EXPECT_THROW(problem.set_weights({1}), std::invalid_argument);
  EXPECT_THROW(problem.score(Numbers{1}), std::invalid_argument);
}

}  // namespace
}  // namespace rota::lasso
