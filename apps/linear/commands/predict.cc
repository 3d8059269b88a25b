// apps/linear/commands/predict.cc -- rota predict, rota evaluate: a model on other rows.
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "apps/linear/commands/model.h"
#include "apps/linear/losses.h"
#include "apps/linear/scores.h"
#include "rota/error.h"
#include "rota/io/number_text.h"

namespace rota::linear {
namespace {

constexpr Option kPredictOptions[] = {
    {.name = "type",
     .kind = Option::Kind::choice,
     .default_value = "response",
     .unit = "response|link|class",
     .meaning =
         "What to predict: the response (of a logistic model the probability of the larger label, of more classes "
         "that of each label in ascending order), the linear prediction, or the label."},
};

struct Applied {
  const LinearModel& model;
  std::vector<double> labels;  // of the rows
  std::vector<double> links;   // row after row
  std::size_t rows() const { return labels.size(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(links).subspan(i * model.outputs, model.outputs);
  }
};

// `scored`: the labels must be the model's.
Applied apply(const LinearModel& model, const Call& call, bool scored) {
  Applied out{model, {}, {}};
  FeatureKeys key(model.rows.bits);
  const Weights weights{model.numbers, model.outputs, 1};
  RowFiles files(call.input, model.rows.format, model.rows.index_from);
  Rows one;
  files.each([&](const LabelledRow& row) {
    if (scored && model.classes.size() > 0 && !model.classes.find(row.label))
      files.fail("the label " + io::exact_text(row.label) + " is none of the model's, " + model.classes.text());
    one = {};
    add_row(files, row, key, model.origins, model.rows.intercept, model.keys, one);
    const std::vector<double> links = links_of(one, weights, model.outputs);
    out.links.insert(out.links.end(), links.begin(), links.end());
    out.labels.push_back(row.label);
  });
  return out;
}

void write_row(const LinearModel& model, std::span<const double> links, std::string_view type, std::ostream& out) {
  if (type == "class") {
    out << io::exact_text(model.label(links)) << "\n";
    return;
  }
  std::vector<double> shown(links.begin(), links.end());
  if (type == "response" && model.rows.loss == Loss::logistic) {
    double sum = 0;
    for (double& one : shown) sum += one = logistic_row(-one).p;
    if (shown.size() > 1)
      for (double& one : shown) one /= sum;
  }
  if (type == "response" && model.rows.loss == Loss::softmax) softmax_loss(shown, 0);
  for (std::size_t k = 0; k < shown.size(); ++k) out << (k == 0 ? "" : " ") << io::exact_text(shown[k]);
  out << "\n";
}

// The model's own loss, and the share of rows whose class is the predicted one.
void write_own_scores(const Applied& applied, std::ostream& out) {
  const LinearModel& model = applied.model;
  ShardRows data;
  for (const double label : applied.labels) {
    const std::uint32_t k = *model.classes.find(label);
    data.targets.push_back(target_of(k, model.outputs));
  }
  const LossSums sums = score(model.rows.loss, applied.links, model.outputs, data);
  const auto rows = static_cast<double>(applied.rows());
  out << (model.rows.loss == Loss::softmax ? ", \"log_loss\": " : ", \"loss\": ") << io::exact_text(sums.loss / rows)
      << ", \"accuracy\": " << io::exact_text(sums.right / rows);
}

}  // namespace

std::span<const Option> predict_options() {
  return kPredictOptions;
}

void predict(const LinearModel& model, const Call& call, std::ostream& out) {
  const std::string_view type = call.options.text("type");
  const Applied applied = apply(model, call, false);
  if (type == "class" && applied.model.classes.size() == 0)
    throw UsageError("--type=class: a model with --loss=squared has no classes");
  for (std::size_t i = 0; i < applied.rows(); ++i) write_row(applied.model, applied.row(i), type, out);
}

void evaluate(const LinearModel& model, const Call& call, std::ostream& out) {
  const Applied applied = apply(model, call, true);
  if (applied.rows() == 0) throw UsageError("the input has no rows");
  const ClassLabels& classes = applied.model.classes;
  out << "{\"rows\": " << applied.rows();
  if (applied.model.rows.loss == Loss::squared)
    write_number_scores(applied.links, applied.labels, out);
  else if (applied.model.rows.loss == Loss::logistic && applied.model.outputs == 1)
    write_class_scores(applied.links, applied.labels, classes, out);
  else
    write_own_scores(applied, out);
  out << "}\n";
}

}  // namespace rota::linear
