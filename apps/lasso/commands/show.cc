#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

#include "apps/lasso/commands/commands.h"
#include "apps/lasso/commands/trained_model.h"
#include "rota/io/number_text.h"

namespace rota::lasso {

namespace {

constexpr Option kShowOptions[] = {
    kPenalty,
    integer_option("top", "20", "coefficients", 0, 4294967295.0,
                   "Number of coefficients shown, the largest first; 0: all."),
};

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string cell(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text + "  ";
}

// The share of the null loss that the fit explains.
double explained(const FitRow& fit) {
  return fit.null_loss > 0 ? 1 - fit.loss / fit.null_loss : 0;
}

void show_path(const TrainedModel& model, std::ostream& out) {
  const bool folds = !model.validation.empty();
  const char* const measure = model.settings.loss == Loss::squared ? "cv error" : "cv deviance";
  out << cell("penalty", 7) << cell("lambda", 12) << cell("nonzero", 8) << cell("objective", 14) << cell("explained", 9)
      << cell("gap", 9);
  if (folds) out << cell(measure, 11) << cell("std error", 10);
  out << "\n";
  for (std::size_t k = 0; k < model.path.size(); ++k) {
    const FitRow& fit = model.path[k];
    out << cell(std::to_string(k + 1), 7) << cell(number(fit.lambda, 6), 12) << cell(number(fit.nonzeros, 8), 8)
        << cell(number(fit.objective, 10), 14) << cell(number(100 * explained(fit), 4) + "%", 9)
        << cell(number(fit.gap, 2), 9);
    if (folds) {
      out << cell(number(model.validation[k].mean, 6), 11) << cell(number(model.validation[k].standard_error, 4), 10);
      if (k == model.best) out << "min ";
      if (k == model.simplest) out << "1se ";
    }
    if (!converged(model, fit)) out << "not converged";
    out << "\n";
  }
}

}  // namespace

std::span<const Option> show_options() {
  return kShowOptions;
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const std::size_t chosen = penalty_named(model, call.options.text("penalty"));
  show_path(model, out);
  if (model.settings.loss == Loss::logistic) {
    const FitRow& fit = model.path[chosen];
    out << "\nclasses " << fit.classes().text() << ": a linear prediction is the logit of "
        << io::exact_text(fit.larger) << "\n";
  }
  auto columns = model.coefficients[chosen].columns;
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  const auto top = static_cast<std::size_t>(call.options.integer("top"));
  const std::size_t shown = top == 0 ? columns.size() : std::min(top, columns.size());
  out << "\ncoefficients at penalty " << chosen + 1 << ": " << columns.size() << " of "
      << number(model.path[chosen].columns, 12) << " columns";
  if (shown < columns.size()) out << ", the largest " << shown;
  out << "\n";
  if (model.settings.intercept)
    out << cell("intercept", 12) << number(model.coefficients[chosen].intercept, 10) << "\n";
  for (std::size_t i = 0; i < shown; ++i)
    out << cell(std::to_string(columns[i].first + 1), 12) << number(columns[i].second, 10) << "\n";
}

}  // namespace rota::lasso
