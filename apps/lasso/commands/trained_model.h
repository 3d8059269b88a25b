// apps/lasso/commands/trained_model.h -- a committed model: the path, its coefficients, and the cross-validation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "rota/model.h"

namespace rota::lasso {

// Mean loss of held-out rows over the folds, doubled: mean squared error, or deviance (glmnet's measures).
struct CrossValidation {
  double mean = 0;
  double standard_error = 0;  // of that mean, from the spread over folds
};

struct Coefficients {
  double intercept = 0;
  std::vector<std::pair<std::uint64_t, double>> columns;  // (column from 0, value), ascending, without zeros
};

struct TrainedModel {
  Settings settings;
  std::vector<FitRow> path;                 // of the completed fits on all rows, largest penalty first
  std::vector<Coefficients> coefficients;   // in that order
  std::vector<CrossValidation> validation;  // in that order; empty without folds
  std::optional<std::size_t> best;          // lambda.min: the penalty with the smallest mean
  std::optional<std::size_t> simplest;      // lambda.1se: the largest within a standard error of it
  std::vector<std::string> names;           // of the data's columns, if it had them

  std::uint64_t columns() const { return path.empty() ? 0 : static_cast<std::uint64_t>(path[0].columns); }
  // Or the column's number, from 1.
  std::string name_of(std::uint64_t column) const {
    return column < names.size() ? names[column] : std::to_string(column + 1);
  }
};

// Whether a fit has reached its tolerance.
inline bool converged(const TrainedModel& model, const FitRow& fit) {
  return fit.gap <= model.settings.tolerance * fit.null_loss;
}

// Throws DataError if the model is damaged.
TrainedModel read_model(const Model& model);

// The penalty that a user names by --penalty.  Throws UsageError if it does not exist.
std::size_t penalty_named(const TrainedModel& model, std::string_view name);

}  // namespace rota::lasso
