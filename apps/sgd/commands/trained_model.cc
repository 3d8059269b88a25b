#include "apps/sgd/commands/trained_model.h"

#include "apps/sgd/tables.h"
#include "rota/error.h"

namespace rota::sgd {

TrainedModel read_model(const Model& model) {
  TrainedModel trained;
  trained.settings = settings_of(model.job().options);
  trained.rows = trained.settings;
  trained.outputs = outputs_of(trained.settings, model.facts());
  trained.keys = model.facts().count("keys");
  const Bytes common = model.common();
  Reader in(common.view());
  trained.classes = linear::ClassLabels(in.get_all<double>());
  if (!in.done()) trained.origins = linear::Origins::read(in, trained.keys);
  const bool has_classes = trained.settings.loss != Loss::squared;
  if (!in.done() || trained.classes.size() != (has_classes ? model.facts().count("classes") : 0))
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

std::span<const Command> commands() {
  static const Command kCommands[] = {
      {.name = "show",
       .summary = "prints the heaviest features",
       .options = linear::show_options(),
       .run = [](const Call& call, std::ostream& out) { linear::show(read_model(*call.model), call, out); }},
      {.name = "predict",
       .summary = "prints a prediction for every row",
       .options = linear::predict_options(),
       .run = [](const Call& call, std::ostream& out) { linear::predict(read_model(*call.model), call, out); },
       .takes_input = true},
      {.name = "evaluate",
       .summary = "scores the model on other rows, as JSON",
       .options = {},
       .run = [](const Call& call, std::ostream& out) { linear::evaluate(read_model(*call.model), call, out); },
       .takes_input = true}};
  return kCommands;
}

void export_text(const Model& model, const std::filesystem::path& folder) {
  linear::export_text(read_model(model), folder);
}

}  // namespace rota::sgd
