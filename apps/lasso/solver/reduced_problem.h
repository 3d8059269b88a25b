// apps/lasso/solver/reduced_problem.h -- the lasso restricted to a working set of columns, and its solution.
//
//   minimise over b and b0 (0 without an intercept):
//     sum_i w_i loss(y_i, f_i) + sum_j [ l1 s_j |b_j| + l2/2 s_j^2 b_j^2 ],   f = b0 + X b,
//
// with loss(y, f) = (y - f)^2 / 2, or log(1 + exp(-y f)) with y = -1 or 1.  The weights w are >= 0 and sum to 1; a row
// of weight 0 is held out: it has no influence, but f is computed for it too.
//
// After every call that changes something, f and the values derived from it belong to the current coefficients, summed
// from scratch in the order of the columns, and the intercept is the best one for them.  So nothing drifts, and the
// state of save() is small compared with the columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/lasso/duality.h"
#include "apps/lasso/penalty.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/solver/descent.h"
#include "apps/lasso/solver/gram.h"
#include "apps/lasso/solver/working_columns.h"
#include "rota/bytes.h"
#include "rota/numerics/large_vector.h"

namespace rota::lasso {

struct SolveLimits {
  std::uint64_t epochs = 20'000;  // passes of coordinate descent over active columns
  std::uint64_t rounds = 500;     // choices of active columns
};

struct SolveStatistics {
  std::uint64_t epochs = 0;       // passes over active columns
  std::uint64_t rounds = 0;       // choices of active columns; for the logistic loss, Newton steps
  std::uint64_t gram_rounds = 0;  // of them, solved on products of columns
  double gap = 0;                 // duality gap of the reduced problem, or if not converged a lower bound of it
  bool converged = false;         // the gap is at most the tolerance
};

// Losses summed over rows with some weights.
struct Score {
  double weight = 0;  // sum of the weights
  double loss = 0;    // weighted sum of losses; of the squared loss, half the squared error
};

// The data that descent works on; the choice changes speed and rounding, not the optimum.
enum class Method { automatic, columns, gram };

// Not for use by several threads.
class ReducedProblem {
 public:
  // y and w have one number a row; y must outlive this.  Throws std::invalid_argument if they do not fit the
  // description above.
  ReducedProblem(Loss loss, bool intercept, std::span<const double> y, std::vector<double> w);
  ReducedProblem(ReducedProblem&&) = default;
  ReducedProblem& operator=(ReducedProblem&&) = default;

  // Adds a column with coefficient 0, whose numbers are given as to WorkingColumns::add.  Values are finite, s >= 0.
  template <typename... Numbers>
  void add_column(std::uint64_t key, double s, Numbers&&... numbers) {
    columns_.add(key, s, std::forward<Numbers>(numbers)...);
    coefficients_.push_back(0);
  }
  // Drops every column whose coefficient is 0, except those with these keys.
  void drop_zeros(std::span<const std::uint64_t> except);
  bool contains(std::uint64_t key) const { return columns_.contains(key); }

  // Starts from the current coefficients, and continues until the reduced problem's duality gap is at most `tolerance`,
  // an absolute number in units of the objective, or the limits are reached, or rounding leaves nothing to gain.
  SolveStatistics solve(const Penalty& penalty, double tolerance, const SolveLimits& limits = {});

  // All coefficients 0.
  void reset();
  // One for every column, in the order of key().  Throws std::invalid_argument if their number differs.
  void set_coefficients(std::span<const double> coefficients);
  // For example to hold out other rows.  Coefficients stay.  Throws as the constructor.
  void set_weights(std::vector<double> w);
  void set_method(Method method) { method_ = method; }

  // In the order in which columns were added.
  std::uint64_t key(std::size_t j) const { return columns_.key(j); }
  std::span<const double> coefficients() const { return coefficients_; }
  // 0 if there is no such column.
  double coefficient(std::uint64_t key) const;
  std::size_t nonzeros() const;
  double intercept() const;

  // g_i = w_i (y_i - f_i), or w_i y_i / (1 + exp(y_i f_i)).  With an intercept they sum up to 0, to rounding.
  std::span<const double> gradient() const { return gradient_; }
  std::span<const double> fitted() const { return fitted_; }  // f
  double loss() const { return loss_; }                       // sum_i w_i loss_i
  double penalty_value(const Penalty& penalty) const;
  double objective(const Penalty& penalty) const { return loss_ + penalty_value(penalty); }
  // Over any rows, for example those held out: one weight >= 0 a row.  Throws std::invalid_argument if their number
  // differs.
  Score score(std::span<const double> row_weights) const;
  // Of the problem with all columns, when every column outside has coefficient 0.  `ratio` is the largest
  // constraint_ratio of all columns with the current gradient.
  DualityGap gap(const Penalty& penalty, double ratio) const;

  // Bit for bit: after reading everything has the same results as without it.  The method is not saved.  Reads into a
  // problem made with the same loss, intercept and y; invalid input leaves it unusable.
  void state(Archive& list);

 private:
  // The result of evaluating all columns.
  struct Look {
    std::vector<double> gradients;  // c_j
    PenaltyTerms terms;
    DualityGap gap;
  };
  // A constant column, for example, does not: its coefficient stays 0.
  bool takes_part(std::size_t j) const { return columns_.scale(j) > 0 && moments_[j].centred_square > 0; }
  void forget_weights();
  void compute_moments();
  void leave_out_constants();
  // The logistic loss's second-order expansion reuses the curvatures of an earlier step, with the products of columns
  // under them, as long as they approximate the loss well enough.
  void forget_curvature();
  void keep_curvature();
  Moments moments_of_kept(std::uint32_t j);
  bool bends_alike();

  // Computes fitted_ and all that depends on it.
  void refresh();
  void sum_columns();
  void fit_squared_intercept();
  void fit_logistic_intercept();
  void compute_slopes(std::span<const double> fitted, double shift);
  // Of the rows at and after `at`, as many as there is room for.
  void row_losses(std::size_t at, std::span<double> losses) const;
  void compute_rows();

  void add_terms(const Penalty& penalty, std::size_t j, double gradient, PenaltyTerms& terms) const;
  // A gap above `enough` may be a lower bound of it: see duality.h.
  DualityGap gap_of(const PenaltyTerms& terms, double enough) const;
  Look look(const Penalty& penalty, double enough) const;
  std::vector<ActiveCoordinate> active_coordinates(const Penalty& penalty, const Look& at) const;
  // A round solves the active columns, or their second-order expansion, to a tolerance.  All three return false if
  // rounding left nothing to gain.
  bool squared_round(const Penalty& penalty, const Look& at, double tolerance);
  bool newton_round(const Penalty& penalty, const Look& at, double tolerance);
  bool descend(ActiveProblem& problem, double tolerance);
  bool step_towards(const Penalty& penalty, const ActiveProblem& problem, const Look& at);
  void stretch_step(const Penalty& penalty, std::span<const double> from);

  Loss loss_kind_;
  bool has_intercept_;
  std::span<const double> y_;
  std::vector<double> w_;
  WorkingColumns columns_;
  std::vector<double> coefficients_;
  double intercept_ = 0;  // of the shifted columns: see WorkingColumns::shift
  Method method_ = Method::automatic;

  // Derived from the above, one number a row.  All are in one block of large pages: touching as many small pages for
  // the first time takes longer than a pass over the rows.
  LargeVector<double> row_memory_;
  std::span<double> fitted_, gradient_, scratch_;
  // Logistic loss: p_i = 1 / (1 + exp(y_i f_i)), 1 - p_i, and w_i p_i (1 - p_i) or a little more.
  std::span<double> p_, rest_, curvature_;
  // Logistic loss: the curvatures of an earlier step, if they are kept; and f before the current step.
  std::span<double> kept_curvature_, fitted_before_;

  double loss_ = 0;
  double sum_of_weights_ = 0;
  std::vector<Moments> moments_;  // under w, of the columns of the last solve()
  Gram gram_;                     // under w; for the logistic loss under kept_curvature_

  bool keeps_curvature_ = false;  // else the next step does
  double curvature_scale_ = 1;    // the current curvatures are about this times the kept ones
  double sum_of_kept_ = 0;
  std::vector<Moments> kept_moments_;  // of columns under them; a negative square: not known yet

  // Of the current solve().
  SolveLimits limits_;
  SolveStatistics done_;
  bool step_is_solved_ = false;  // whether the last descent reached its tolerance

  double columns_work_ = 0;  // additional cost of descent on columns over products, since gram_ began
};

}  // namespace rota::lasso
