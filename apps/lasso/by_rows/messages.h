// apps/lasso/by_rows/messages.h -- the notes and replies, beside the coefficients, between shards of rows, pull and the
// schedule.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "apps/lasso/by_rows/held_columns.h"
#include "apps/lasso/column_moments.h"
#include "apps/lasso/tables.h"
#include "rota/bytes.h"
#include "rota/fields.h"
#include "rota/types.h"

namespace rota::lasso {

// If a job has several schedules, all take the same steps together.  A screen's argument ends with the number of its
// scheduler: the first one's is answered, and for the others pull repeats that answer.
inline bool repeats(std::span<const double> argument) {
  return argument.size() > kArgumentWidth && argument[kArgumentWidth] != 0;
}

// A shard's answer to Step::start: sums over its rows of the fit, with the weights of the data.
struct RowsSums {
  double rows = 0;               // of the shard, those held out too
  double weight = 0;             // sum of the weights w
  double response = 0;           // sum of w y
  double largest_response = 0;   // max |y|
  ClassLabels classes;           // of the response of all shards
  std::vector<Moments> columns;  // of every column, under w
  std::vector<double> positive;  // sum_i w_i x_ij over the rows with y > 0: logistic loss with an intercept only
  std::vector<Key> tiny;         // columns that have values, but whose sum of squares underflows
  std::vector<double> largest;   // max |x_ij| of each of these

  void fields(auto& list) {
    list(rows, weight, response, largest_response, classes, columns, positive, tiny, largest);
    list.check(tiny.size() == largest.size());
  }
};
// Adds those of another shard.
void add(RowsSums& to, const RowsSums& sums);

// Pull's reply to it.
struct RowsShape {
  double weight = 0;               // of all rows of the fit
  std::vector<double> curvatures;  // of the loss along every column
  Shifts shifts;                   // of columns far from 0, from now on

  void fields(auto& list) {
    list(weight, curvatures);
    shifts.fields(list);
  }
};

// A shard's answer to Step::screen.  From here on w sums to 1 over the rows of the fit, of all shards; g_i is w_i times
// minus the slope of the loss at f_i.
struct RowsSlopes {
  double loss = 0;                                  // sum of w loss(y, f)
  double slope = 0;                                 // sum of g
  double square = 0;                                // squared loss: sum of w r^2; logistic: sum of w exp(-y f)
  double margin_positive = 0, margin_negative = 0;  // logistic: sums of w y f over the rows of either class
  double held_out = 0, held_out_weight = 0;         // sum of v loss(y, f) over the fold's rows, and of their weights v
  std::vector<double> gradient;                     // sum_i x_ij g_i of every column j

  void fields(auto& list) {
    list(loss, slope, square, margin_positive, margin_negative, held_out, held_out_weight, gradient);
  }
};
// Adds those of another shard.
void add(RowsSlopes& to, const RowsSlopes& slopes);

// Ascending columns as differences, a byte or two each, because there may be very many.
std::vector<std::byte> differences_of(std::span<const Key> columns);
std::vector<Key> columns_of(std::span<const std::byte> differences);

// Pull's reply to it.
struct RowsCertificate {
  double objective = 0;
  double gap = 0;             // duality gap
  double null_objective = 0;  // with no coefficient but the intercept
  double steepest = 0;        // largest |x_j' g - l2 s_j^2 b_j| / s_j over all columns
  double intercept = 0;
  std::uint64_t all_columns = 0;  // their number
  std::uint64_t updates = 0;      // of coefficients, since the last screen
  // The gain of an update of one coefficient alone, for all where that is not 0; columns ascend.  `gain` is the root of
  // change^2 G_jj, as a share of the largest one.
  std::vector<Key> columns;
  double largest_gain = 0;
  std::vector<float> gains;

  void fields(auto& list) {
    std::vector<std::byte> differences = differences_of(columns);
    list(objective, gap, null_objective, steepest, intercept, largest_gain, all_columns, updates, differences, gains);
    columns = columns_of(differences);
    list.check(columns.size() == gains.size() && (columns.empty() || columns.back() < all_columns));
  }
};

[[noreturn]] void throw_damaged();

}  // namespace rota::lasso
