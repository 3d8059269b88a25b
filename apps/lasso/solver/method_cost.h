// apps/lasso/solver/method_cost.h -- estimates the cost of coordinate descent on columns and on their products.
#pragma once
#include "apps/lasso/solver/active_problem.h"
#include "apps/lasso/solver/gram.h"

namespace rota::lasso {

// In units of about one multiplication and addition on dense numbers.
struct MethodCost {
  double columns_epoch = 0;  // an epoch on columns
  double gram_epoch = 0;     // an epoch on products
  double gram_start = 0;     // computing the products that `gram` lacks, and laying out all
  double gram_layout = 0;    // the part of that for laying out
  bool gram_fits = false;    // in the memory limit of products
};

// `gram` may hold some of the problem's columns.
MethodCost cost_of(const ActiveProblem& problem, const Gram& gram);

}  // namespace rota::lasso
