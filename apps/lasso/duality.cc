// apps/lasso/duality.cc
#include "apps/lasso/duality.h"

#include <algorithm>
#include <cstddef>

#include "apps/linear/logistic_loss.h"
#include "apps/linear/ordered_sum.h"

namespace rota::lasso {

using namespace linear;
namespace {

constexpr double kSmallest = 1e-300;

// The part of the gap that does not depend on the loss.
double penalty_gap(const PenaltyTerms& terms, double scale) {
  return terms.l2 / 2 * (1 - scale) * (1 - scale) + std::max(terms.l1 - scale * terms.slope, 0.0);
}

// The rows of a logistic problem.
struct Rows {
  std::span<const double> weights, responses, fitted;
  LogisticRow at(std::size_t i) const { return logistic_row(responses[i] * fitted[i]); }
};

double logistic_gap_at(const Rows& rows, const PenaltyTerms& terms, double a) {
  if (a == 1) return penalty_gap(terms, a);  // where every u is p
  const double log_a = a > 0 ? log_of(a) : 0;
  const double sum = chunked_sum(rows.weights.size(), [&](std::size_t i) {
    const LogisticRow row = rows.at(i);
    // 1 - a p, as (1 - p) + (1 - a) p; where that is 0, 0 log 0 = 0.
    const double rest = larger(row.rest + (1 - a) * row.p, kSmallest);
    return rows.weights[i] * larger(a * row.p * log_a + rest * log_of(rest / row.rest), 0);
  });
  return sum + penalty_gap(terms, a);
}

}  // namespace

DualityGap squared_gap(double residual_square, const PenaltyTerms& terms) {
  // D(a) = a (A + B + L2) - a^2/2 (A + L2): a parabola, and |a| <= 1/M.
  const double square = residual_square + terms.l2;
  double a = square > 0 ? std::max((square + terms.slope) / square, 0.0) : 1;
  if (a * terms.ratio > 1) a = 1 / terms.ratio;
  return {a, residual_square / 2 * (1 - a) * (1 - a) + penalty_gap(terms, a)};
}

DualityGap logistic_gap(std::span<const double> weights, std::span<const double> responses,
                        std::span<const double> fitted, const PenaltyTerms& terms) {
  const Rows rows{weights, responses, fitted};
  // D is concave in a, and its slope at a = 1 is B.  If B >= 0, the best a below 1 is the largest.
  if (terms.ratio >= 1) {
    const double a = 1 / terms.ratio;
    return {a, logistic_gap_at(rows, terms, a)};
  }
  const DualityGap at_one{1, logistic_gap_at(rows, terms, 1)};
  if (terms.slope <= 0) return at_one;
  // Above 1: one Newton step from 1, within 1/M and where every a p_i is at most 1.
  double curvature = terms.l2, largest_p = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const LogisticRow row = rows.at(i);
    curvature += weights[i] * row.p / row.rest;
    largest_p = std::max(largest_p, row.p);
  }
  const double most = std::min(terms.ratio > 0 ? 1 / terms.ratio : 2.0, 1 / largest_p);
  const double a = std::min(1 + terms.slope / curvature, most);
  if (!(a > 1)) return at_one;
  const DualityGap above{a, logistic_gap_at(rows, terms, a)};
  return above.gap < at_one.gap ? above : at_one;
}

}  // namespace rota::lasso
