// apps/linear_models/logistic_rows.h -- the logistic loss of many rows at once (see logistic_loss.h), vectorised if the
// processor can; the results are the same bits on all.
#pragma once
#include <span>

namespace rota::linear {

// The values of LogisticRow for rows with margins t_i = y_i (f_i + shift).  All spans have the same length.
struct LogisticRows {
  std::span<double> loss, p, rest;
};
void logistic_rows(std::span<const double> y, std::span<const double> f, double shift, const LogisticRows& out);

// sum_i w_i KL(a p_i || p_i), KL(u || p) = u log(u/p) + (1 - u) log((1 - u) / (1 - p)), with rest_i = 1 - p_i > 0 and
// 0 <= a p_i <= 1.  Terms that rounding makes negative count as 0.
double divergence_of_share(double a, std::span<const double> w, std::span<const double> p,
                           std::span<const double> rest);

}  // namespace rota::linear
