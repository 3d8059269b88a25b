// apps/lasso/tables.h -- the tables of the apps lasso and lasso_rows, their keys, and the argument of rounds.
//
// A job is a sequence of fits: the path of penalties for every fold of the cross-validation, without the fold's rows,
// and then for all rows.  Each fit starts from the coefficients of the previous one (warm start), the first of a path
// from zero.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/linear_models/class_labels.h"
#include "rota/bytes.h"
#include "rota/job.h"
#include "rota/round.h"
#include "rota/types.h"

namespace rota::lasso {

using namespace linear;

// All three have a single partition.
inline constexpr TableId kCoefficients = 0;  // of the current fit; key: column, or kIntercept
inline constexpr TableId kPath = 1;          // non-zero coefficients of completed fits; key: path_key()
inline constexpr TableId kFits = 2;          // a summary of every completed fit; key: fit_key()

inline constexpr Key kIntercept = (Key{1} << 32) - 1;  // its coefficient's key
inline constexpr Key kMostPenalties = Key{1} << 16;
inline constexpr Key kMostFolds = Key{1} << 10;

inline Key path_key(std::uint32_t penalty, Key column) {
  return (static_cast<Key>(penalty) << 32) | column;
}
inline constexpr Key column_of(Key of_path) {
  return of_path & ((Key{1} << 32) - 1);
}
// Fold 0 is the fit on all rows; fold f = 1, 2, ... that without the rows of fold f.
inline Key fit_key(std::uint32_t fold, std::uint32_t penalty) {
  return static_cast<Key>(fold) * kMostPenalties + penalty;
}

// A row of kFits: doubles, in this order.
struct FitRow {
  double lambda = 0;
  double objective = 0;
  double gap = 0;              // duality gap, in units of the objective
  double nonzeros = 0;         // without the intercept
  double loss = 0;             // mean loss of the rows it was fitted to
  double null_loss = 0;        // the same with no coefficient but the intercept
  double held_out = 0;         // mean loss of the fold's rows (folds only)
  double held_out_weight = 0;  // sum of their weights, as a share of all rows'
  double rows = 0;             // of the data
  double columns = 0;          // of the data
  double smaller = -1;         // logistic loss: the labels of the data
  double larger = 1;

  ClassLabels classes() const { return ClassLabels({smaller, larger}); }
  void fields(auto& list) {
    list(lambda, objective, gap, nonzeros, loss, null_loss, held_out, held_out_weight, rows, columns, smaller, larger);
  }
  void set_classes(const ClassLabels& classes) {
    if (classes.size() == 2) smaller = classes.label(0), larger = classes.label(1);
  }
};
inline constexpr std::uint32_t kFitWidth = 12;
using FitNumbers = std::array<double, kFitWidth>;
static_assert(sizeof(FitRow) == sizeof(FitNumbers));

// What a round is for.
enum class Step : std::uint8_t {
  start,   // shards report the data
  screen,  // every shard evaluates all its columns (lasso), or computes every coefficient's gradient (lasso_rows)
  solve,   // the working set is solved (lasso)
  update,  // coefficients change (lasso_rows)
  undo,    // coefficients are reset to their values at the last screen (lasso_rows)
  record,  // a fit is complete and is recorded
};
// The beginning of every round's argument.
struct FitStep {
  Step step = Step::start;
  std::uint32_t fold = 0;     // of the current fit
  std::uint32_t penalty = 0;  // its number on the path
  double lambda = 0;          // and its value

  void fields(auto& list) { list(step, fold, penalty, lambda); }
};

// Saves the coefficients that are not 0, each with its number.
inline void put_nonzeros(std::span<const double> coefficients, Writer& out) {
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (coefficients[j] == 0) continue;
    out.put_varint(j);
    out.put(coefficients[j]);
  }
  out.put_varint(coefficients.size());
}
inline void get_nonzeros(Reader& in, std::span<double> coefficients) {
  std::ranges::fill(coefficients, 0.0);
  for (;;) {
    const auto j = in.get_bounded<std::size_t>(coefficients.size());
    if (!in.ok() || j == coefficients.size()) return;
    coefficients[j] = in.get<double>();
  }
}

// Pull's work at Step::record: writes fit(), the summary of the fit, or coefficient(column) of each column.
template <typename Fit, typename Coefficient>
void record_fit(const PullTask& task, const Fit& fit, const Coefficient& coefficient) {
  for (const PullEntry& entry : task.entries) {
    if (task.table == kFits)
      std::ranges::copy(std::bit_cast<FitNumbers>(fit()), entry.value.begin());
    else
      entry.value[0] = coefficient(column_of(entry.key));
  }
}

}  // namespace rota::lasso
