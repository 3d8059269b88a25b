// apps/lasso/duality.h -- a bound on the distance of a fit from the optimum: its duality gap.
//
// The primal, with weights w that sum to 1, margins or residuals from f = b0 + X b, and scales s:
//   P(b) = sum_i w_i loss(y_i, f_i) + sum_j [ l1 s_j |b_j| + l2/2 s_j^2 b_j^2 ].
// Its Fenchel dual over theta (one number a row; the quadratic penalty is the squared loss of one more row for each
// coefficient, with target 0 and value sqrt(l2) s_j, whose dual is the term in b below):
//   D(theta) = - sum_i w_i loss*(-theta_i / w_i) - l2/2 sum_j (a s_j b_j)^2,
//   subject to |x_j' theta - a l2 s_j^2 b_j| <= l1 s_j for all j, and sum_i theta_i = 0 if there is an intercept.
// As usual the point used is the primal's gradient g, made feasible by a scale: theta = a g, |a| <= 1/M with
//   M = max_j |c_j - l2 s_j^2 b_j| / (l1 s_j), c_j = x_j' g  (constraint_ratio of penalty.h)
// (Ndiaye et al., "Gap safe screening rules for sparsity enforcing penalties", JMLR 2017, section 2; Massias et al.,
// "Celer: a fast solver for the Lasso with dual extrapolation", ICML 2018, section 2).
//
// The gap is summed in a form whose parts are not negative, which keeps its digits near the optimum.  With
//   L1 = sum_j l1 s_j |b_j|,  L2 = l2 sum_j s_j^2 b_j^2,  B = sum_j b_j (c_j - l2 s_j^2 b_j)  (at most M L1):
//   P - D = E(a) + L2/2 (1 - a)^2 + (L1 - a B)
// and the term of the loss, since sum_i g_i f_i = sum_j b_j c_j:
//   squared, g_i = w_i r_i:   E(a) = A/2 (1 - a)^2 with A = sum_i w_i r_i^2.
//   logistic, g_i = w_i y_i p_i: E(a) = sum_i w_i KL(a p_i || p_i),
//     KL(u || p) = u log(u/p) + (1-u) log((1-u) / (1-p)), the Fenchel-Young loss of -sum w [u log u + (1-u) log(1-u)].
#pragma once
#include <cmath>
#include <span>

namespace rota::lasso {

struct PenaltyTerms {
  double l1 = 0;     // L1 above
  double l2 = 0;     // L2
  double slope = 0;  // B
  double ratio = 0;  // M, over all columns; may be infinite
};

struct DualityGap {
  double scale = 0;  // a: theta = a g
  double gap = 0;    // P(b) - D(theta) >= 0, in units of the objective
};

// The best scale, in closed form.  `residual_square` is A.
DualityGap squared_gap(double residual_square, const PenaltyTerms& terms);

// `p` and `rest` are those of LogisticRow at y f.  The scale is the best one if M >= 1 and a good one if not.  Rows of
// weight 0 do not matter.  A gap above `enough` may be given without the term of the loss, which saves a pass over the
// rows: then it is a lower bound.
DualityGap logistic_gap(std::span<const double> weights, std::span<const double> p, std::span<const double> rest,
                        const PenaltyTerms& terms, double enough = HUGE_VAL);

}  // namespace rota::lasso
