#include "apps/lasso/commands/trained_model.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "rota/error.h"
#include "rota/fields.h"

namespace rota::lasso {

namespace {

FitRow fit_row(std::span<const double> numbers) {
  if (numbers.size() != kFitWidth) throw DataError("model", 0, "a row of fits is of another width");
  FitNumbers row;
  std::copy(numbers.begin(), numbers.end(), row.begin());
  return std::bit_cast<FitRow>(row);
}

// Weighted by the folds' weights, as glmnet's cvm and cvsd.
CrossValidation over_folds(const std::vector<FitRow>& folds) {
  double weight = 0, sum = 0, squares = 0;
  for (const FitRow& fold : folds) {
    weight += fold.held_out_weight;
    sum += fold.held_out_weight * 2 * fold.held_out;
  }
  CrossValidation out;
  out.mean = weight > 0 ? sum / weight : 0;
  for (const FitRow& fold : folds)
    squares += fold.held_out_weight * (2 * fold.held_out - out.mean) * (2 * fold.held_out - out.mean);
  if (folds.size() > 1 && weight > 0)
    out.standard_error = std::sqrt(squares / weight / static_cast<double>(folds.size() - 1));
  return out;
}

void choose(TrainedModel& model) {
  for (std::size_t k = 0; k < model.validation.size(); ++k)
    if (!model.best || model.validation[k].mean < model.validation[*model.best].mean) model.best = k;
  if (!model.best) return;
  const CrossValidation& least = model.validation[*model.best];
  for (std::size_t k = 0; k <= *model.best && !model.simplest; ++k)
    if (model.validation[k].mean <= least.mean + least.standard_error) model.simplest = k;
}

}  // namespace

TrainedModel read_model(const Model& model) {
  TrainedModel out;
  out.settings = settings_of<Settings>(model.job().options);
  if (const Bytes common = model.common(); !common.empty()) out.names = read_fields<std::vector<std::string>>(common);
  std::map<std::uint32_t, std::vector<FitRow>> folds;  // by penalty
  model.for_each_row(kFits, [&](Key key, std::span<const double> numbers) {
    const auto fold = static_cast<std::uint32_t>(key / kMostPenalties);
    const auto penalty = static_cast<std::uint32_t>(key % kMostPenalties);
    if (fold > 0)
      folds[penalty].push_back(fit_row(numbers));
    else
      out.path.push_back(fit_row(numbers));
  });
  out.coefficients.resize(out.path.size());
  model.for_each_row(kPath, [&](Key key, std::span<const double> value) {
    const std::size_t penalty = key >> 32;
    const Key column = key & kIntercept;
    if (penalty >= out.coefficients.size() || value.empty()) return;
    if (column == kIntercept)
      out.coefficients[penalty].intercept = value[0];
    else if (value[0] != 0)
      out.coefficients[penalty].columns.emplace_back(column, value[0]);
  });
  for (std::size_t k = 0; k < out.path.size(); ++k) {
    const auto found = folds.find(static_cast<std::uint32_t>(k));
    if (found != folds.end() && found->second.size() == out.settings.folds)
      out.validation.push_back(over_folds(found->second));
  }
  if (out.validation.size() != out.path.size()) out.validation.clear();
  choose(out);
  return out;
}

std::size_t penalty_named(const TrainedModel& model, std::string_view name) {
  if (model.path.empty()) throw UsageError("no fit of this model is complete yet: continue with `rota resume`");
  if (name == "auto") name = model.best ? "min" : "last";
  if (name == "last") return model.path.size() - 1;
  if (name == "min" || name == "1se") {
    const auto& chosen = name == "min" ? model.best : model.simplest;
    if (!chosen)
      throw UsageError("--penalty=" + std::string(name) + " requires a cross-validation: train with --folds");
    return *chosen;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 1 || number > model.path.size())
    throw UsageError("--penalty is last, min, 1se, or a number from 1 to " + std::to_string(model.path.size()) +
                     ", not '" + std::string(name) + "'");
  return number - 1;
}

}  // namespace rota::lasso
