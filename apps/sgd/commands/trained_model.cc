#include "apps/sgd/commands/trained_model.h"

#include "apps/linear_models/row_scores.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"
#include "rota/fields.h"

namespace rota::sgd {

void ModelCommon::encode(Writer& out) const {
  const bool has_texts = !names.empty() || !classes.words().empty();
  out.put_all(std::span<const double>(classes.all()));
  if (has_texts || !origins.empty()) origins.encode(out);
  if (!has_texts) return;
  write_fields(out, classes.words());
  write_fields(out, names);
}

void ModelCommon::decode(Reader& in) {
  classes = linear::ClassLabels(in.get_all<double>());
  if (!in.done()) origins.decode(in);
  if (in.done() || !in.ok()) return;
  std::vector<std::string> words;
  Archive list(in);
  list(words, names);
  list.check(words.empty() || words.size() == classes.size());
  classes.set_words(std::move(words));
}

double TrainedModel::weight(Key key, std::uint32_t output) const {
  double weight = numbers[key * outputs + output];
  if (key == kIntercept)
    for (const std::uint32_t k : origins.keys()) weight -= origins[k] * numbers[k * outputs + output];
  return weight;
}

std::uint32_t TrainedModel::class_of(std::span<const double> links) const {
  return outputs > 1 ? linear::best_output(links) : links[0] > 0 ? 1 : 0;
}

TrainedModel read_model(const Model& model) {
  TrainedModel trained;
  trained.settings = settings_of(model.job().options);
  trained.outputs = outputs_of(trained.settings, model.facts());
  trained.keys = model.facts().count("keys");
  const Bytes common = model.common();
  Reader in(common.view());
  trained.decode(in);
  const bool has_classes = trained.settings.loss != Loss::squared;
  if (!in.done() || trained.classes.size() != (has_classes ? model.facts().count("classes") : 0) ||
      (!trained.origins.empty() && trained.origins.keys().back() >= trained.keys))
    throw DataError("the model", 0, "the labels of its classes are damaged");
  trained.numbers.resize(trained.keys * trained.outputs);
  const std::uint32_t width = trained.settings.state_width(), weight = trained.settings.model_weight();
  model.for_each_row(kWeights, [&](Key key, std::span<const double> row) {
    for (std::uint32_t k = 0; k < trained.outputs; ++k)
      trained.numbers.at(key * trained.outputs + k) = row[k * width + weight];
  });
  trained.centre = centre_of(model.facts());
  if (trained.settings.centres()) trained.numbers.at(kIntercept) += trained.centre;
  return trained;
}

}  // namespace rota::sgd
