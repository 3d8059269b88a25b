#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "apps/lasso/app.h"
#include "apps/lasso/commands/trained_model.h"
#include "apps/lasso/design/load.h"
#include "apps/linear_models/scores.h"
#include "rota/error.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"

namespace rota::lasso {
namespace {

constexpr Option kPenalty = {
    .name = "penalty",
    .default_value = "auto",
    .meaning = "Which penalty's coefficients: last, min, 1se, or its number (min if there are folds, else the last)."};

// ---- show: the path as a table, and the coefficients of one penalty

constexpr Option kShowOptions[] = {
    kPenalty,
    {.name = "top",
     .kind = Option::Kind::integer,
     .default_value = "20",
     .unit = "coefficients",
     .meaning = "Number of coefficients shown, the largest first; 0: all.",
     .least = 0,
     .most = 4294967295.0},
};

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string cell(const std::string& text, std::size_t width) {
  return io::right_aligned(text, width) + "  ";
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

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const std::size_t chosen = penalty_named(model, call.options.text("penalty"));
  const FitRow& fit = model.path[chosen];
  show_path(model, out);
  if (model.settings.has_classes())
    out << "\nclasses " << fit.classes().text() << ": a linear prediction is the logit of "
        << io::exact_text(fit.larger) << "\n";
  const auto& columns = model.coefficients[chosen].columns;
  const auto top = static_cast<std::size_t>(call.options.integer("top"));
  const auto shown = io::largest(columns.size(), top == 0 ? columns.size() : top,
                                 [&](std::uint32_t i) { return std::abs(columns[i].second); });
  out << "\ncoefficients at penalty " << chosen + 1 << ": " << columns.size() << " of " << number(fit.columns, 12)
      << " columns";
  if (shown.size() < columns.size()) out << ", the largest " << shown.size();
  out << "\n";
  if (model.settings.intercept)
    out << cell("intercept", 12) << number(model.coefficients[chosen].intercept, 10) << "\n";
  for (const std::uint32_t i : shown)
    out << cell(model.name_of(columns[i].first), 12) << number(columns[i].second, 10) << "\n";
}

// ---- predict: a number a line for every row of the input; evaluate: scores, as JSON

constexpr Option kType = {.name = "type",
                          .kind = Option::Kind::choice,
                          .default_value = "response",
                          .unit = "response|link|class",
                          .meaning =
                              "What to predict: the response (of a logistic model, the probability of the larger "
                              "label), the linear prediction, or the label."};
constexpr Option kResponse = {
    .name = "response",
    .kind = Option::Kind::path,
    .meaning = "File with the response of every row, one a line, for input that has none of its own."};

std::vector<Option> input_options(const Option& last) {
  std::vector<Option> options = {kPenalty};
  for (const Option& option : declared_options<io::RowForm>())
    if (option.name == "format" || option.name == "target" || option.name == "separator") options.push_back(option);
  options.push_back(last);
  return options;
}

// A file is read as the data that the model was fitted to, unless options say otherwise.
io::RowForm form_of(const Call& call, const TrainedModel& model, io::RowForm::Labels labels) {
  io::RowForm form = model.settings.form;
  form.names = model.names;
  form.columns = model.columns();
  form.labels = labels;
  form.format = call.options.text("format");
  if (call.options.has("separator")) form.separator = call.options.text("separator");
  if (call.options.has("target")) form.target = call.options.text("target");
  form.check();
  return form;
}

// The linear predictions of the input's rows, and their labels.
struct Applied {
  TrainedModel model;
  std::size_t penalty;
  std::vector<double> links = {}, labels = {};
  // Of a logistic model.
  std::optional<DataError> foreign = {};  // the first label that is not the model's
  io::DistinctLabels seen = {};

  bool logistic() const { return model.settings.has_classes(); }
  const FitRow& fit() const { return model.path[penalty]; }
  // `fail` throws the error for the row.
  template <typename Fail>
  void add_label(double label, const Fail& fail) {
    labels.push_back(label);
    if (!logistic()) return;
    seen.add(label);
    if (foreign || fit().classes().find(label)) return;
    try {
      fail("the label " + io::exact_text(label) + " is none of the model's, " + fit().classes().text());
    } catch (const DataError& error) {
      foreign = error;
    }
  }
};

void read_file(const std::string& file, io::RowForm form, std::span<const double> by_column, Applied& out) {
  if (form.format == "auto") form.format = io::found_format(file);
  const auto reader = io::read_rows(file, form);
  // Before the first row it has the columns that the format states.
  if (form.format != "matrix_market" && reader->columns() > 0 && reader->columns() != out.model.columns())
    throw DataError(file, 0,
                    "expected " + std::to_string(out.model.columns()) + " columns beside the response, found " +
                        std::to_string(reader->columns()));
  for (io::LabelledValues row; reader->next(row);) {
    double link = out.model.coefficients[out.penalty].intercept;
    for (std::size_t e = 0; e < row.columns.size(); ++e)
      if (row.columns[e] < by_column.size()) link += by_column[row.columns[e]] * row.values[e];
    out.links.push_back(link);
    if (form.labels != io::RowForm::Labels::ignored)
      out.add_label(row.label, [&](const std::string& what) { reader->fail(what); });
  }
}

Applied apply(const Call& call, io::RowForm::Labels labels) {
  TrainedModel model = read_model(*call.model);
  const std::size_t penalty = penalty_named(model, call.options.text("penalty"));
  Applied out{std::move(model), penalty};
  std::vector<double> by_column;
  for (const auto& [column, value] : out.model.coefficients[penalty].columns) {
    by_column.resize(column + 1);
    by_column[column] = value;
  }
  const io::RowForm form = form_of(call, out.model, labels);
  for (const std::string& file : call.input) read_file(file, form, by_column, out);
  return out;
}

void predict(const Call& call, std::ostream& out) {
  const Applied applied = apply(call, io::RowForm::Labels::if_there);
  const std::string_view type = call.options.text("type");
  if (type == "class" && !applied.logistic()) throw UsageError("--type=class requires a model with --loss=logistic");
  // One constant label in all rows, whatever it is, stands for unknown labels.
  if (applied.foreign && applied.seen.get().size() > 1) throw *applied.foreign;
  const FitRow& fit = applied.fit();
  for (const double link : applied.links) {
    const double shown = type == "class"                            ? (link > 0 ? fit.larger : fit.smaller)
                         : type == "response" && applied.logistic() ? 1 / (1 + std::exp(-link))
                                                                    : link;
    out << io::exact_text(shown) << "\n";
  }
}

void read_response(const std::string& path, Applied& applied) {
  for (const double y : io::read_numbers(path, "a response", -std::numeric_limits<double>::infinity()))
    applied.add_label(
        y, [&](const std::string& what) { throw DataError(path, line_of(path, applied.labels.size() - 1), what); });
}

void evaluate(const Call& call, std::ostream& out) {
  const bool given = call.options.has("response");
  Applied applied = apply(call, given ? io::RowForm::Labels::ignored : io::RowForm::Labels::required);
  const std::vector<double>&links = applied.links, &y = applied.labels;
  if (given) read_response(std::string(call.options.text("response")), applied);
  if (applied.foreign) throw *applied.foreign;
  if (y.size() != links.size())
    throw UsageError("the input has " + std::to_string(links.size()) + " rows, and " + std::to_string(y.size()) +
                     " responses");
  if (y.empty()) throw UsageError("the input has no rows");
  out << "{\"rows\": " << y.size() << ", \"penalty\": " << applied.penalty + 1
      << ", \"lambda\": " << io::exact_text(applied.fit().lambda);
  if (applied.logistic())
    write_class_scores(links, y, applied.fit().classes(), out);
  else
    write_number_scores(links, y, out);
  out << "}\n";
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Option> predict_options = input_options(kType), evaluate_options = input_options(kResponse);
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the path and the largest coefficients", .options = kShowOptions, .run = show},
      {.name = "predict",
       .summary = "predicts the response of other rows, a number a line",
       .options = predict_options,
       .run = predict,
       .takes_input = true},
      {.name = "evaluate",
       .summary = "scores the model on other rows, as JSON",
       .options = evaluate_options,
       .run = evaluate,
       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::lasso
