// apps/mf/als/row_solver.h -- the new row of one user, or of one item.
//
// With the partners' rows q_j it is the x that minimises
//
//   explicit   sum over its ratings of (r_j - apart_j - q_j . x)^2  +  penalty |x|^2
//   implicit   sum over all j of c_j (p_j - q_j . x)^2  +  penalty |x|^2,   c_j = 1 + alpha r_j and p_j = 1 for used
//              items, c_j = 1 and p_j = 0 for all others
//
// so it solves  (G + sum of w_j q_j q_j' + penalty I) x = sum of t_j q_j  over its ratings, with w = 1, t = r - apart
// and G = 0, or (Hu, Koren and Volinsky, "Collaborative filtering for implicit feedback datasets", ICDM 2008) with
// w = alpha r, t = 1 + alpha r and G = sum over all j of q_j q_j'.
#pragma once
#include <span>
#include <vector>

#include "apps/mf/alternating/factors.h"

namespace rota::mf {

class RowSolver {
 public:
  // `cg_steps`: of conjugate gradients for a row, or 0: it is solved exactly.
  RowSolver(const Settings& settings, std::uint32_t cg_steps, const RowForm& form);
  // Bytes of memory of one.
  static double memory(std::uint32_t cg_steps, const RowForm& form);

  // `gram` is that of all partners, for implicit ratings.  `row` is the old row, where conjugate gradients begin, and
  // becomes the new one.
  void solve(Factors partners, const double* gram, std::span<const Partner> ratings, double penalty,
             std::span<double> row);

 private:
  static constexpr std::size_t kBlock = 256;  // ratings whose partners are side by side at a time
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  template <typename F>
  void for_each_block(F f);
  void decompose(double penalty);
  void conjugate_gradients(double penalty);
  // out = [the right-hand side] -/+ the matrix times x.
  void residual(double penalty, const double* x, bool from_targets, double* out);
  double dot(const LineVector<double>& a, const LineVector<double>& b) const;

  Settings settings_;
  std::uint32_t cg_steps_;
  RowForm form_;
  Factors partners_;
  const double* gram_ = nullptr;
  std::span<const Partner> ratings_;
  std::size_t at_ = kNowhere;  // the first rating of the block that is in rows_
  LineVector<double> rows_, scaled_, matrix_, x_, r_, p_, product_;
  std::vector<double> weights_, targets_, coefficients_;  // of the block
};

// x becomes the minimiser of  x' A x / 2 - y' x,  where the first `bounded` numbers of x are at least 0: by coordinate
// descent from the given x.  A is symmetric and positive definite, its rows `width` apart.
void descend(std::span<const double> a, std::size_t width, std::span<const double> y, std::size_t bounded,
             std::span<double> x);

}  // namespace rota::mf
