// apps/lasso/by_rows/messages.h -- the notes and replies, beside the coefficients, between shards of rows, pull and the
// schedule.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "apps/lasso/by_rows/held_columns.h"
#include "apps/lasso/column_moments.h"
#include "apps/lasso/tables.h"
#include "rota/bytes.h"
#include "rota/fields.h"
#include "rota/types.h"

namespace rota::lasso {

[[noreturn]] inline void throw_damaged() {
  throw std::runtime_error("damaged data: a note or reply");
}

// The argument of a round.
struct RowsStep : FitStep {
  // screen: the number of the scheduler.  If a job has several, all take the same steps together.  The first one's
  // screen is answered, and for the others pull repeats that answer.
  std::uint32_t scheduler = 0;
  std::vector<double> values;  // undo: of the coefficients

  void fields(auto& list) {
    FitStep::fields(list);
    list(scheduler, values);
  }
};

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

// The moments of both sets of rows: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983.
inline void combine(Moments& moments, double weight, const Moments& other, double other_weight) {
  if (weight > 0 && other_weight > 0) {
    const double between = other.sum / other_weight - moments.sum / weight;
    moments.centred_square += between * between * (weight * other_weight / (weight + other_weight));
  }
  moments.centred_square += other.centred_square;
  moments.sum += other.sum;
}

// Adds those of another shard.
inline void add(RowsSums& to, const RowsSums& sums) {
  const bool first = to.columns.empty();
  if (first) {
    to.columns.resize(sums.columns.size());
    to.positive.resize(sums.positive.size());
    to.classes = sums.classes;
  }
  if (sums.classes != to.classes) throw_damaged();
  if (sums.columns.size() != to.columns.size() || sums.positive.size() != to.positive.size()) throw_damaged();
  for (std::size_t j = 0; j < to.columns.size(); ++j) combine(to.columns[j], to.weight, sums.columns[j], sums.weight);
  for (std::size_t j = 0; j < to.positive.size(); ++j) to.positive[j] += sums.positive[j];
  to.tiny.insert(to.tiny.end(), sums.tiny.begin(), sums.tiny.end());
  to.largest.insert(to.largest.end(), sums.largest.begin(), sums.largest.end());
  to.largest_response = std::max(to.largest_response, sums.largest_response);
  to.rows += sums.rows;
  to.weight += sums.weight;
  to.response += sums.response;
}

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
inline void add(RowsSlopes& to, const RowsSlopes& slopes) {
  to.loss += slopes.loss;
  to.slope += slopes.slope;
  to.square += slopes.square;
  to.margin_positive += slopes.margin_positive;
  to.margin_negative += slopes.margin_negative;
  to.held_out += slopes.held_out;
  to.held_out_weight += slopes.held_out_weight;
  if (to.gradient.empty()) to.gradient.resize(slopes.gradient.size());
  if (slopes.gradient.size() != to.gradient.size()) throw_damaged();
  for (std::size_t j = 0; j < slopes.gradient.size(); ++j) to.gradient[j] += slopes.gradient[j];
}

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
  std::vector<std::uint32_t> columns;
  double largest_gain = 0;
  std::vector<float> gains;

  void fields(auto& list) {
    list(objective, gap, null_objective, steepest, intercept, largest_gain, all_columns, updates, columns, gains);
    list.check(columns.size() == gains.size() &&
               std::ranges::all_of(columns, [this](auto column) { return column < all_columns; }));
  }
};

}  // namespace rota::lasso
