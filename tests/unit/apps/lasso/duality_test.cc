#include "apps/lasso/duality.h"

#include "apps/linear_models/logistic_loss.h"
#include "tests/unit/apps/lasso/lasso_fixture.h"

namespace rota::lasso {
namespace {

// The terms at any coefficients, from their definitions.  With an intercept, b0 must be the best one.
PenaltyTerms terms_at(const Instance& it, const Penalty& penalty, const std::vector<double>& b,
                      const std::vector<double>& g) {
  PenaltyTerms terms;
  for (std::size_t j = 0; j < it.columns(); ++j) {
    const double s = it.scale[j], c = it.dot(j, g);
    terms.l1 += penalty.l1 * s * std::abs(b[j]);
    terms.l2 += penalty.l2 * s * s * b[j] * b[j];
    terms.slope += b[j] * (c - penalty.l2 * s * s * b[j]);
    terms.ratio = std::max(terms.ratio, constraint_ratio(penalty, s, b[j], c));
  }
  return terms;
}

DualityGap gap_at(const Instance& it, const PenaltyTerms& terms, const std::vector<double>& f,
                  double enough = HUGE_VAL) {
  if (it.loss == Loss::logistic) {
    std::vector<double> p, rest;
    for (std::size_t i = 0; i < it.rows(); ++i) {
      const linear::LogisticRow row = linear::logistic_row(it.y[i] * f[i]);
      p.push_back(row.p);
      rest.push_back(row.rest);
    }
    return logistic_gap(it.w, p, rest, terms, enough);
  }
  double square = 0;
  for (std::size_t i = 0; i < it.rows(); ++i) square += it.w[i] * (it.y[i] - f[i]) * (it.y[i] - f[i]);
  return squared_gap(square, terms);
}

// The dual objective at theta = a g with b for the quadratic penalty's rows, by its definition.
double dual_at(const Instance& it, const Penalty& penalty, const std::vector<double>& b, const std::vector<double>& f,
               double a) {
  double dual = 0;
  for (std::size_t i = 0; i < it.rows(); ++i) {
    if (it.w[i] == 0) continue;
    if (it.loss == Loss::squared) {
      const double theta = a * it.w[i] * (it.y[i] - f[i]);
      dual += theta * it.y[i] - theta * theta / (2 * it.w[i]);
    } else {
      const double u = a / (1 + std::exp(it.y[i] * f[i]));
      dual -= it.w[i] * (u * std::log(u) + (1 - u) * std::log(1 - u));
    }
  }
  for (std::size_t j = 0; j < it.columns(); ++j) {
    const double scaled = a * it.scale[j] * b[j];
    dual -= penalty.l2 / 2 * scaled * scaled;
  }
  return dual;
}

struct Point {
  std::vector<double> b, f;
  double b0 = 0;
};

// Random coefficients of some size, with the best intercept.
Point random_point(const Instance& it, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Point point;
  for (std::size_t j = 0; j < it.columns(); ++j) point.b.push_back(j % 3 == 0 ? 0 : size * normal(random));
  ReducedProblem problem = problem_of(it);
  problem.set_coefficients(point.b);
  point.b0 = problem.intercept();
  point.f = it.fitted(point.b, point.b0);
  return point;
}

TEST(Duality, TheBoundIsBelowTheOptimumAtAnyPoint) {
  for (const Loss loss : {Loss::squared, Loss::logistic})
    for (const bool intercept : {false, true})
      for (const double l1_ratio : {1.0, 0.3}) {
        const Instance it =
            random_instance({.loss = loss, .intercept = intercept, .standardize = true, .weighted = true});
        const double lambda = 0.2 * largest_l1(it);
        const Penalty penalty{lambda * l1_ratio, lambda * (1 - l1_ratio)};
        const Fit best = solve_plainly(it, penalty);
        const double optimum = it.objective(penalty, best.b, best.b0);
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
          const Point point = random_point(it, std::pow(10, static_cast<double>(seed % 5) - 3), seed);
          const PenaltyTerms terms = terms_at(it, penalty, point.b, it.gradient(point.f));
          const DualityGap gap = gap_at(it, terms, point.f);
          const double primal = it.objective(penalty, point.b, point.b0);
          EXPECT_LE(gap.scale * terms.ratio, 1 + 1e-15);
          EXPECT_LE(primal - gap.gap, optimum + 1e-13 * primal);
          // The stable form is the difference of the two objectives.
          EXPECT_NEAR(primal - gap.gap, dual_at(it, penalty, point.b, point.f, gap.scale), 1e-12 * (1 + primal));
          // No other feasible scale is better.
          for (const double share : {0.3, 0.9, 0.999}) {
            if (terms.ratio < 1 && loss == Loss::logistic) continue;
            EXPECT_LE(dual_at(it, penalty, point.b, point.f, share * gap.scale), primal - gap.gap + 1e-12 * primal);
          }
        }
      }
}

TEST(Duality, AGapIsExactUnlessALowerBoundIsEnough) {
  const Instance it = random_instance({.loss = Loss::logistic});
  const Penalty penalty{0.2 * largest_l1(it), 0};
  int lower = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Point point = random_point(it, std::pow(10, static_cast<double>(seed % 5) - 3), seed);
    const PenaltyTerms terms = terms_at(it, penalty, point.b, it.gradient(point.f));
    const double exact = gap_at(it, terms, point.f).gap;
    EXPECT_EQ(gap_at(it, terms, point.f, exact).gap, exact);
    const double bound = gap_at(it, terms, point.f, 0).gap;
    EXPECT_LE(bound, exact);
    EXPECT_GT(bound, 0);
    lower += bound < exact ? 1 : 0;
  }
  EXPECT_GT(lower, 0);
}

TEST(Duality, TheGapVanishesAtTheOptimum) {
  for (const Loss loss : {Loss::squared, Loss::logistic})
    for (const double l1_ratio : {1.0, 0.3}) {
      const Instance it = random_instance({.loss = loss, .intercept = true});
      const double lambda = 0.1 * largest_l1(it);
      const Penalty penalty{lambda * l1_ratio, lambda * (1 - l1_ratio)};
      const Fit best = solve_plainly(it, penalty);
      const std::vector<double> f = it.fitted(best.b, best.b0);
      const DualityGap gap = gap_at(it, terms_at(it, penalty, best.b, it.gradient(f)), f);
      EXPECT_GE(gap.gap, 0);
      EXPECT_LE(gap.gap, 1e-12 * it.objective(penalty, best.b, best.b0));
    }
}

TEST(Duality, WithNoCoefficientTheGapIsZeroFromTheLargestPenaltyOn) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    const Instance it = random_instance({.loss = loss, .intercept = true});
    const Point zero = random_point(it, 0, 1);
    for (const double ratio : {1.0, 1.5, 100.0}) {
      const Penalty penalty{ratio * largest_l1(it), 0};
      EXPECT_NEAR(gap_at(it, terms_at(it, penalty, zero.b, it.gradient(zero.f)), zero.f).gap, 0, 1e-14) << ratio;
    }
  }
}

TEST(Duality, WithoutAPenaltyTheGapIsTheLoss) {
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    const Instance it = random_instance({.loss = loss});
    const Point zero = random_point(it, 0, 1);
    PenaltyTerms terms;
    terms.ratio = std::numeric_limits<double>::infinity();
    const DualityGap gap = gap_at(it, terms, zero.f);
    EXPECT_EQ(gap.scale, 0);
    EXPECT_NEAR(gap.gap, it.objective({0, 0}, zero.b, 0), 1e-14);
  }
}

}  // namespace
}  // namespace rota::lasso
