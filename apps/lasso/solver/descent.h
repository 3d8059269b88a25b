// apps/lasso/solver/descent.h -- a quadratic lasso on a few coordinates, which coordinate descent solves.
//
//   minimise over b:  Q(b) = 1/2 sum_i h_i (z_i - b0 - x_i b)^2 + sum_j [ threshold_j |b_j| + ridge_j/2 b_j^2 ]
//
// with b0 eliminated exactly if there is an intercept.  The input is not z but, at the starting point, g_i = h_i (z_i -
// f_i) with sum_i g_i = 0, and each c_j = x_j' g.  The squared loss is this with h = w; a Newton step of the logistic
// loss has h_i = w_i p_i (1 - p_i).
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/solver/gram.h"
#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {

struct ActiveCoordinate {
  std::uint32_t column;  // its position among the WorkingColumns
  double coefficient;    // the starting point, and then the solution
  double gradient;       // c_j at the starting point
  double threshold;      // l1 s_j
  double ridge;          // l2 s_j^2
  Moments moments;       // of the column under h; its centred square is positive
};

struct ActiveProblem {
  const WorkingColumns* columns = nullptr;
  std::span<const double> h;   // one a row
  std::span<double> g;         // one a row; descent on columns writes the solution's g here, not centred
  std::span<double> scratch;   // one a row, for descent on columns
  double sum_of_h = 0;         // with an intercept; without one 0
  double residual_square = 0;  // sum_i g_i^2 / h_i
  std::vector<ActiveCoordinate> coordinates;
  const Gram* gram = nullptr;    // has the products of all coordinates' columns under h; or null
  double products_cost = 0;      // of computing those products, or of reading them: in multiplications and additions
  double epoch_cost = 0;         // of an epoch, in the same units
  double most_bytes = HUGE_VAL;  // of memory for products and systems
};

struct Descent {
  std::uint64_t epochs = 0;  // passes over the coordinates
  double gap = 0;            // duality gap of Q at the end
  bool stalled = false;      // an epoch changed coefficients by their last digits at most
};

// Both continue until the duality gap is at most `tolerance`, or `most_epochs` are done, or no gain is left, or many
// coefficients stay 0, so that it is better to choose new active ones.
// On the columns, with the residual kept up to date: an epoch costs about twice the columns' numbers.
Descent descend_on_columns(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs);
// On the products of columns, which must be given.
Descent descend_on_gram(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs);

// The step to the support's optimum under the assumption that no coefficient changes its sign.  Coordinate descent
// takes very many epochs when columns are nearly dependent.  On coefficients that keep their signs the objective is one
// quadratic, and its minimum is found by solving a system as large as the support.
//
// Its approximate cost, in the units of ActiveProblem::epoch_cost, for a support of this size.  Infinite if it would
// take too much memory.
double support_step_cost(const ActiveProblem& problem, std::size_t support);

// Writes the step of every coordinate, 0 outside the support.  `values` and `gradients` are the current ones of the
// problem's coordinates.  False if there is none: the support is empty, or its columns are too dependent.
bool support_step(const ActiveProblem& problem, std::span<const double> values, std::span<const double> gradients,
                  std::vector<double>& step);

}  // namespace rota::lasso
