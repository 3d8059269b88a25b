// apps/lasso/by_rows/fit.h -- a shard's rows in the current fit: weights, predictions, slopes of the loss.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/settings.h"
#include "apps/linear/design/columns.h"
#include "rota/round.h"

namespace rota::lasso {

using namespace linear;

// The data of a shard.
struct RowShardData {
  Columns matrix;                    // its rows, all columns
  std::vector<double> response;      // as in the data
  std::vector<double> weights;       // of every row, >= 0
  std::vector<std::uint32_t> folds;  // of every row; empty if there are none
  ClassLabels classes;               // of the response of all shards, for the logistic loss
};

class RowsFit {
 public:
  // Throws std::invalid_argument if the data's sizes differ.
  RowsFit(const Settings& settings, RowShardData data);

  const HeldColumns& matrix() const { return matrix_; }
  // g_i = w_i times minus the slope of the loss at f_i.
  std::span<const double> slopes() const { return slopes_; }
  // w_i, 0 for rows that are held out.
  std::span<const double> weights() const { return weights_; }

  // Starts with the rows outside of a fold (0: all), and returns their sums; the weights are as given until they are
  // divided by their sum over all shards.
  RowsSums begin(std::uint32_t fold);
  void divide_weights(double total);
  // Subtracts these numbers from columns.
  void shift(const Shifts& shifts);

  // Sets coefficients, and updates predictions and slopes: by the changes, or from scratch.
  void change(std::span<const Delta> deltas);
  void restart(std::span<const Delta> deltas);

  // Computes predictions from scratch, so that rounding does not accumulate, and sums over rows and columns.
  RowsSlopes look();
  // The sum of w loss(y, f).
  double loss() const;

  void save(Writer& out) const;
  void restore(Reader& in);

 private:
  bool held_out(std::size_t i) const { return fold_ != 0 && data_.folds[i] == fold_; }
  double loss_of(std::size_t i) const;
  void add_moments(RowsSums& sums) const;
  void set(std::span<const Delta> deltas);
  void set_weights();
  void set_slope(std::size_t i);
  void predict();

  Loss loss_;
  bool has_intercept_;
  HeldColumns matrix_;
  Shifts shifts_;           // of matrix_
  RowShardData data_;       // without its matrix; for the logistic loss with y = -1 or 1 as the response
  std::uint32_t fold_ = 0;  // whose rows are held out; 0: none
  double total_ = 1;        // the divisor of the weights
  double intercept_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> weights_;      // w
  std::vector<double> predictions_;  // f
  std::vector<double> slopes_;       // g
};

}  // namespace rota::lasso
