// apps/lasso/by_rows/model.h -- pull's data of the columns and their coefficients when shards are ranges of rows.
//
// Notation as in messages.h, and c_j = sum_i x_ij g_i.  Along the coefficients the loss is at most a quadratic form
// with the matrix h G, G_jk = sum_i w_i x_ij x_ik: it is that form for the squared loss and h = 1, and below it for the
// logistic loss and h = 1/4 (Boehning and Lindsay, "Monotonicity of quadratic-approximation algorithms", 1988).  The
// intercept is eliminated: if b_0 is always optimal, the form is the same with c_j - m_j sum_i g_i for c_j and
// G_jk - m_j m_k for G_jk, where m_j = sum_i w_i x_ij.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/duality.h"
#include "apps/lasso/penalty.h"
#include "apps/lasso/settings.h"
#include "rota/round.h"

namespace rota::lasso {

class RowsModel {
 public:
  explicit RowsModel(const Settings& settings)
      : loss_(settings.loss),
        has_intercept_(settings.intercept),
        standardize_(settings.standardize),
        l1_ratio_(settings.l1_ratio),
        weights_(settings.weights) {}

  // Pull's work in rounds of these steps; their argument is that of tables.h, with the additions named here.
  void start(const PullTask& task);   // begins with other rows, and no coefficient but the intercept
  void screen(const PullTask& task);  // evaluates the fit
  void undo(const PullTask& task);    // the argument has the entries' values
  void record(const PullTask& task);

  void set_lambda(double lambda) { penalty_ = {lambda * l1_ratio_, lambda * (1 - l1_ratio_)}; }
  double h() const { return loss_ == Loss::squared ? 1 : 0.25; }
  double mean(Key j) const { return has_intercept_ ? mean_[j] : 0; }
  // G_jj, and the same of the column about its mean if there is an intercept.
  double square(Key j) const { return curvature_[j] + mean(j) * mean(j); }
  double curvature(Key j) const { return curvature_[j]; }
  double penalty(Key j, double value) const { return penalty_of(penalty_, scale(j), value); }

  void count_updates(std::size_t coefficients) { updates_ += coefficients; }
  // The intercept is that of the shifted columns.
  double coefficient(Key j) const { return j == kIntercept ? intercept_ : coefficient_[j]; }
  void set(Key j, double value) { (j == kIntercept ? intercept_ : coefficient_[j]) = value; }
  // The best value of a coefficient if all others stay; `descent` = c_j - m_j sum g is the negative slope of the loss.
  double best(Key j, double descent) const;

  void fields(auto& list) {
    list(penalty_.l1, penalty_.l2, intercept_, coefficient_, mean_, curvature_, scale_, positive_, shifts_);
    list(positive_weight_, weight_, null_pending_, fit_);
    const std::size_t columns = coefficient_.size();
    list.check(curvature_.size() == columns && mean_.size() == (has_intercept_ ? columns : 0) &&
               scale_.size() == (standardize_ ? columns : 0) &&
               positive_.size() == (has_intercept_ && loss_ == Loss::logistic ? columns : 0) &&
               std::ranges::all_of(shifts_.columns, [&](Key j) { return j < columns; }));
  }

 private:
  // A point theta of the dual whose sum is 0: its products x_j' theta are g c_j + mean m_j + positive p_j.
  struct DualPoint {
    double g = 1, mean = 0, positive = 0;
  };
  double scale(Key j) const { return standardize_ ? scale_[j] : 1; }
  void set_sums(const RowsSums& sums);
  void check_sums(const RowsSums& sums) const;
  void shift(Key j, double by);
  double intercept_of_data() const;
  RowsCertificate certify(const RowsSlopes& slopes);
  DualPoint dual_point(const RowsSlopes& slopes) const;
  double gap(const RowsSlopes& slopes, const DualPoint& point, const PenaltyTerms& terms) const;

  Loss loss_;
  bool has_intercept_, standardize_;
  double l1_ratio_;
  std::string weights_;  // their file
  Penalty penalty_;      // of the current fit
  double intercept_ = 0;
  std::vector<double> coefficient_;
  Shifts shifts_;                  // subtracted from columns far from 0
  std::vector<double> mean_;       // m_j, if there is an intercept
  std::vector<double> curvature_;  // G_jj, or of the column about its mean
  std::vector<double> scale_;      // standard deviations, if columns are standardised
  std::vector<double> positive_;   // p_j = sum_i w_i x_ij over rows with y > 0: logistic loss with an intercept
  double positive_weight_ = 0;     // sum of w over these rows
  double weight_ = 0;              // sum of the weights of the fit's rows, as in the data
  bool null_pending_ = false;      // the next screen evaluates the fit without coefficients
  std::uint64_t updates_ = 0;      // since the last screen
  FitRow fit_;                     // of the last screen
  RowsCertificate certificate_;    // of the last screen
};

}  // namespace rota::lasso
