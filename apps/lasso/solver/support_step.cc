// apps/lasso/solver/support_step.cc
#include "apps/lasso/solver/support_step.h"

#include <cmath>

#include "apps/lasso/solver/cholesky.h"

namespace rota::lasso {
namespace {

// Relative increase of the diagonal: if columns depend on one another, the step is long instead of infinite.
constexpr double kRidge = 1e-11;

}  // namespace

double support_step_cost(const ActiveProblem& problem, std::size_t support) {
  const auto size = static_cast<double>(support);
  const double share = size / static_cast<double>(problem.coordinates.size());
  return size * size * (size / 6 + 4) + problem.products_cost * share * share;
}

bool support_step(const ActiveProblem& problem, std::span<const double> values, std::span<const double> gradients,
                  std::vector<double>& step) {
  std::vector<std::uint32_t> places, columns;
  for (std::uint32_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0) continue;
    places.push_back(k);
    columns.push_back(problem.coordinates[k].column);
  }
  if (places.empty()) return false;
  Gram own;
  if (problem.gram == nullptr) {
    own.begin(problem.h);
    own.add(*problem.columns, columns);
  }
  DenseGram system = (problem.gram == nullptr ? own : *problem.gram).dense(columns);
  std::vector<double> right;
  const double inverse = problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    const ActiveCoordinate& it = problem.coordinates[places[a]];
    const double value = values[places[a]];
    right.push_back(gradients[places[a]] - it.ridge * value - std::copysign(it.threshold, value));
    double* const row = system.product.data() + a * system.size;
    for (std::size_t b = 0; b < a; ++b) row[b] -= it.moments.sum * problem.coordinates[places[b]].moments.sum * inverse;
    row[a] = (it.moments.centred_square + it.ridge) * (1 + kRidge);
  }
  if (!solve_definite(system.size, system.product, right)) return false;
  step.assign(values.size(), 0.0);
  for (std::size_t a = 0; a < places.size(); ++a) step[places[a]] = right[a];
  return true;
}

}  // namespace rota::lasso
