// tests/unit/apps/lasso/lasso_fixture.h -- small random lasso problems, and a plain solver to compare with.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "apps/lasso/penalty.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/solver/reduced_problem.h"

namespace rota::lasso {

// A dense matrix by columns, and the rest of a problem.
struct Instance {
  Loss loss = Loss::squared;
  bool intercept = false;
  std::vector<std::vector<double>> x;  // by column
  std::vector<double> y, w, scale;

  std::size_t rows() const { return y.size(); }
  std::size_t columns() const { return x.size(); }

  double weighted_mean(std::size_t j) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows(); ++i) sum += w[i] * x[j][i];
    return sum;
  }
  double weighted_deviation(std::size_t j) const {
    const double mean = weighted_mean(j);
    double sum = 0;
    for (std::size_t i = 0; i < rows(); ++i) sum += w[i] * (x[j][i] - mean) * (x[j][i] - mean);
    return std::sqrt(sum);
  }
  std::vector<double> fitted(std::span<const double> b, double b0) const {
    std::vector<double> f(rows(), b0);
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t i = 0; i < rows(); ++i) f[i] += x[j][i] * b[j];
    return f;
  }
  std::vector<double> gradient(std::span<const double> f) const {
    std::vector<double> g(rows());
    for (std::size_t i = 0; i < rows(); ++i)
      g[i] = w[i] * (loss == Loss::squared ? y[i] - f[i] : y[i] / (1 + std::exp(y[i] * f[i])));
    return g;
  }
  double dot(std::size_t j, std::span<const double> v) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows(); ++i) sum += x[j][i] * v[i];
    return sum;
  }
  double objective(const Penalty& penalty, std::span<const double> b, double b0) const {
    const std::vector<double> f = fitted(b, b0);
    double sum = 0;
    for (std::size_t i = 0; i < rows(); ++i)
      sum += w[i] * (loss == Loss::squared ? (y[i] - f[i]) * (y[i] - f[i]) / 2 : std::log1p(std::exp(-y[i] * f[i])));
    for (std::size_t j = 0; j < columns(); ++j) sum += penalty_of(penalty, scale[j], b[j]);
    return sum;
  }
};

struct Shape {
  std::size_t rows = 40, columns = 15;
  double density = 0.4;  // share of values that are not 0
  Loss loss = Loss::squared;
  bool intercept = false, standardize = false, weighted = false;
  std::uint64_t seed = 1;
};

inline Instance random_instance(const Shape& shape) {
  std::mt19937_64 random(shape.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Instance it{shape.loss, shape.intercept, {}, std::vector<double>(shape.rows), std::vector<double>(shape.rows), {}};
  it.x.assign(shape.columns, std::vector<double>(shape.rows, 0.0));
  for (auto& column : it.x)
    for (double& value : column)
      if (uniform(random) < shape.density) value = normal(random) + 0.5;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    double f = 0.3;
    for (std::size_t j = 0; j < shape.columns; j += 3) f += it.x[j][i] * (j % 2 == 0 ? 1.0 : -0.7);
    f += normal(random);
    it.y[i] = shape.loss == Loss::squared ? f : f > 0 ? 1 : -1;
    it.w[i] = !shape.weighted ? 1 : i % 5 == 0 ? 0 : uniform(random);
  }
  double sum = 0;
  for (const double weight : it.w) sum += weight;
  for (double& weight : it.w) weight /= sum;
  for (std::size_t j = 0; j < shape.columns; ++j)
    it.scale.push_back(shape.standardize ? it.weighted_deviation(j) : 1.0);
  return it;
}

// Adds columns [from, to) with their position as key.
inline void add_columns(ReducedProblem& problem, const Instance& it, std::size_t from, std::size_t to) {
  for (std::size_t j = from; j < to; ++j) {
    std::vector<std::uint32_t> rows;
    std::vector<double> values;
    for (std::uint32_t i = 0; i < it.rows(); ++i) {
      if (it.x[j][i] == 0) continue;
      rows.push_back(i);
      values.push_back(it.x[j][i]);
    }
    problem.add_column(j, it.scale[j], rows, values);
  }
}

inline ReducedProblem problem_of(const Instance& it) {
  ReducedProblem problem(it.loss, it.intercept, it.y, it.w);
  add_columns(problem, it, 0, it.columns());
  return problem;
}

// The least l1 that leaves no coefficient.
inline double largest_l1(const Instance& it) {
  ReducedProblem empty(it.loss, it.intercept, it.y, it.w);
  double most = 0;
  for (std::size_t j = 0; j < it.columns(); ++j)
    if (it.scale[j] > 0) most = std::max(most, std::abs(it.dot(j, empty.gradient())) / it.scale[j]);
  return most;
}

// The largest violation of the optimality conditions.
inline double violation(const Instance& it, const Penalty& penalty, std::span<const double> b, double b0) {
  const std::vector<double> g = it.gradient(it.fitted(b, b0));
  double sum = 0;
  for (const double value : g) sum += value;
  double worst = it.intercept ? std::abs(sum) : 0;
  for (std::size_t j = 0; j < it.columns(); ++j) {
    const double s = it.scale[j], left = it.dot(j, g) - penalty.l2 * s * s * b[j];
    if (s == 0) continue;
    worst = std::max(
        worst, b[j] == 0 ? std::abs(left) - penalty.l1 * s : std::abs(left - std::copysign(penalty.l1 * s, b[j])));
  }
  return worst;
}

struct Fit {
  std::vector<double> b;
  double b0 = 0;
};

// Plain cyclic coordinate descent with the bound on the second derivative (1/4 for the logistic loss), the intercept
// one more coordinate, everything recomputed at every step.
inline Fit solve_plainly(const Instance& it, const Penalty& penalty) {
  Fit fit{std::vector<double>(it.columns(), 0.0), 0};
  const double bound = it.loss == Loss::squared ? 1 : 0.25;
  std::vector<double> f(it.rows(), 0.0);
  const auto add = [&](const auto& column, double by) {
    for (std::size_t i = 0; i < it.rows(); ++i) f[i] += by * column(i);
  };
  for (int epoch = 0; epoch < 200'000; ++epoch) {
    double largest = 0;
    for (std::size_t j = 0; j < it.columns(); ++j) {
      double square = 0;
      for (std::size_t i = 0; i < it.rows(); ++i) square += it.w[i] * it.x[j][i] * it.x[j][i];
      const double s = it.scale[j], curvature = bound * square;
      if (curvature == 0 || s == 0) continue;
      const double c = it.dot(j, it.gradient(f));
      const double now = soft_threshold(c + curvature * fit.b[j], penalty.l1 * s) / (curvature + penalty.l2 * s * s);
      add([&](std::size_t i) { return it.x[j][i]; }, now - fit.b[j]);
      largest = std::max(largest, std::abs(now - fit.b[j]));
      fit.b[j] = now;
    }
    if (it.intercept) {
      double sum = 0;
      for (const double value : it.gradient(f)) sum += value;
      add([](std::size_t) { return 1.0; }, sum / bound);
      fit.b0 += sum / bound;
      largest = std::max(largest, std::abs(sum));
    }
    if (largest < 1e-15) break;
  }
  return fit;
}

}  // namespace rota::lasso
