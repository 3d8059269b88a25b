// apps/lasso/solver/support_step.h -- the step to the support's optimum under the assumption that no coefficient
// changes its sign.
//
// Coordinate descent takes very many epochs when columns are nearly dependent.  On coefficients that keep their signs
// the objective is one quadratic, and its minimum is found by solving a system as large as the support.
#pragma once
#include <span>
#include <vector>

#include "apps/lasso/solver/active_problem.h"

namespace rota::lasso {

// Approximate cost, in the units of ActiveProblem::epoch_cost, for a support of this size.
double support_step_cost(const ActiveProblem& problem, std::size_t support);

// Writes the step of every coordinate, 0 outside the support.  `values` and `gradients` are the current ones of the
// problem's coordinates.  False if there is none: the support is empty, or its columns are too dependent.
bool support_step(const ActiveProblem& problem, std::span<const double> values, std::span<const double> gradients,
                  std::vector<double>& step);

}  // namespace rota::lasso
