#include "apps/linear_models/trained_model.h"

#include "rota/error.h"
#include "rota/fields.h"

namespace rota::linear {

TrainedModel read_model(const Model& model) {
  TrainedModel trained;
  const Facts& facts = model.facts();
  trained.settings = checked_settings<Settings>(model.job().options);
  trained.outputs = trained.settings.outputs(facts.count("classes"));
  trained.keys = facts.count("keys");
  trained.centre = facts.number("centre");
  const Bytes common = model.common();
  Reader in(common.view());
  Archive list(in);
  list(static_cast<ModelCommon&>(trained));
  if (!in.done() || trained.classes.size() != facts.count("classes") ||
      (!trained.origins.empty() && trained.origins.keys.back() >= trained.keys))
    throw DataError("the model", 0, "the labels of its classes are damaged");
  trained.numbers.resize(trained.keys * trained.outputs);
  const bool averages = model.job().options.flag("average");
  model.for_each_row(kWeights, [&](Key key, std::span<const double> row) {
    const std::size_t width = row.size() / trained.outputs;
    for (std::uint32_t k = 0; k < trained.outputs; ++k)
      trained.numbers.at(key * trained.outputs + k) = row[k * width + (averages ? width - 1 : 0)];
  });
  if (trained.settings.centres()) trained.numbers.at(kIntercept) += trained.centre;
  return trained;
}

}  // namespace rota::linear
