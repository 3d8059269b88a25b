// apps/lasso/duality.cc
#include "apps/lasso/duality.h"

#include <algorithm>
#include <cstddef>

#include "apps/linear_models/logistic_rows.h"

namespace rota::lasso {

using namespace linear;
namespace {

// The part of the gap that does not depend on the loss.
double penalty_gap(const PenaltyTerms& terms, double scale) {
  return terms.l2 / 2 * (1 - scale) * (1 - scale) + std::max(terms.l1 - scale * terms.slope, 0.0);
}

}  // namespace

DualityGap squared_gap(double residual_square, const PenaltyTerms& terms) {
  // D(a) = a (A + B + L2) - a^2/2 (A + L2): a parabola, and |a| <= 1/M.
  const double square = residual_square + terms.l2;
  double a = square > 0 ? std::max((square + terms.slope) / square, 0.0) : 1;
  if (a * terms.ratio > 1) a = 1 / terms.ratio;
  return {a, residual_square / 2 * (1 - a) * (1 - a) + penalty_gap(terms, a)};
}

DualityGap logistic_gap(std::span<const double> weights, std::span<const double> p, std::span<const double> rest,
                        const PenaltyTerms& terms, double enough) {
  const auto gap_at = [&](double a) {
    // At 1 every u is p.
    return (a == 1 ? 0 : divergence_of_share(a, weights, p, rest)) + penalty_gap(terms, a);
  };
  // D is concave in a, and its slope at a = 1 is B.  If B >= 0, the best a below 1 is the largest.
  if (terms.ratio >= 1) {
    const double a = 1 / terms.ratio, least = penalty_gap(terms, a);
    return {a, least > enough ? least : gap_at(a)};
  }
  const DualityGap at_one{1, gap_at(1)};
  if (terms.slope <= 0) return at_one;
  // Above 1: one Newton step from 1, within 1/M and where every a p_i is at most 1.
  double curvature = terms.l2, largest_p = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    curvature += weights[i] * p[i] / rest[i];
    largest_p = std::max(largest_p, p[i]);
  }
  const double most = std::min(terms.ratio > 0 ? 1 / terms.ratio : 2.0, 1 / largest_p);
  const double a = std::min(1 + terms.slope / curvature, most);
  if (!(a > 1)) return at_one;
  const DualityGap above{a, gap_at(a)};
  return above.gap < at_one.gap ? above : at_one;
}

}  // namespace rota::lasso
