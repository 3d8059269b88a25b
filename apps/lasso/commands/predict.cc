#include <cmath>
#include <limits>
#include <ostream>
#include <string>

#include "apps/lasso/commands/commands.h"
#include "apps/lasso/commands/trained_model.h"
#include "apps/linear/predictions.h"
#include "apps/linear/scores.h"
#include "rota/error.h"
#include "rota/io/matrix_format.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"

namespace rota::lasso {

using namespace linear;

namespace {

constexpr Option kFormat = {.name = "format",
                            .kind = Option::Kind::choice,
                            .default_value = "auto",
                            .unit = "auto|libsvm|matrix_market",
                            .meaning = "Format of the input."};

constexpr Option kPredictOptions[] = {
    kPenalty,
    kFormat,
    {.name = "type",
     .kind = Option::Kind::choice,
     .default_value = "response",
     .unit = "response|link|class",
     .meaning = "What to predict: the response (of a logistic model, the probability of the larger label), the linear "
                "prediction, or the label."},
};
constexpr Option kEvaluateOptions[] = {
    kPenalty,
    kFormat,
    {.name = "response",
     .kind = Option::Kind::path,
     .meaning = "File with the response of every row, one a line; a MatrixMarket input has none of its own."},
};

double probability(double link) {
  return 1 / (1 + std::exp(-link));
}

struct Applied {
  TrainedModel model;
  std::size_t penalty;
  std::vector<double> links;
  std::vector<double> labels;  // of LIBSVM rows
  LabelCheck check;

  bool logistic() const { return model.settings.loss == Loss::logistic; }
  const FitRow& fit() const { return model.path[penalty]; }
};

Applied apply(const Call& call) {
  TrainedModel model = read_model(*call.model);
  const std::size_t penalty = penalty_named(model, call.options.text("penalty"));
  LabelCheck check(model.path[penalty].classes());
  const Coefficients& chosen = model.coefficients[penalty];
  LinearPredictions predictions(chosen.intercept, chosen.columns,
                                model.settings.loss == Loss::logistic ? &check : nullptr);
  for (const std::string& file : call.input)
    predictions.read(file, io::matrix_format(call.options.text("format")), io::index_from(call.model->job().options));
  return {std::move(model), penalty, predictions.links(), predictions.labels(), std::move(check)};
}

// The response of the scored rows, from --response or from the input.
std::vector<double> response_of(const Call& call, Applied& applied) {
  if (!call.options.has("response")) {
    applied.check.require_own();
    return applied.labels;
  }
  const std::string path(call.options.text("response"));
  std::vector<double> y = io::read_numbers(path, "a response", -std::numeric_limits<double>::infinity());
  if (!applied.logistic()) return y;
  const bool is_text = io::matrix_format_of(path) == io::MatrixFormat::libsvm;  // one number a line
  LabelCheck check(applied.fit().classes());
  for (std::size_t i = 0; i < y.size(); ++i)
    check.add(y[i], [&](const std::string& what) { return DataError(path, is_text ? i + 1 : 0, what); });
  check.require_own();
  return y;
}

}  // namespace

std::span<const Option> predict_options() {
  return kPredictOptions;
}

std::span<const Option> evaluate_options() {
  return kEvaluateOptions;
}

void predict(const Call& call, std::ostream& out) {
  const Applied applied = apply(call);
  const std::string_view type = call.options.text("type");
  if (type == "class" && !applied.logistic()) throw UsageError("--type=class requires a model with --loss=logistic");
  applied.check.require_own_or_none();
  const FitRow& fit = applied.fit();
  for (const double link : applied.links) {
    const double shown = type == "class"                            ? (link > 0 ? fit.larger : fit.smaller)
                         : type == "response" && applied.logistic() ? probability(link)
                                                                    : link;
    out << io::exact_text(shown) << "\n";
  }
}

void evaluate(const Call& call, std::ostream& out) {
  Applied applied = apply(call);
  const std::vector<double>& links = applied.links;
  const std::vector<double> y = response_of(call, applied);
  if (y.size() != links.size())
    throw UsageError("the input has " + std::to_string(links.size()) + " rows, and " + std::to_string(y.size()) +
                     " responses; --response names a file of them");
  if (y.empty()) throw UsageError("the input has no rows");
  out << "{\"rows\": " << y.size() << ", \"penalty\": " << applied.penalty + 1
      << ", \"lambda\": " << io::exact_text(applied.fit().lambda);
  if (applied.logistic())
    write_class_scores(links, y, applied.fit().classes(), out);
  else
    write_number_scores(links, y, out);
  out << "}\n";
}

}  // namespace rota::lasso
