#include "apps/sgd/commands/commands.h"

#include "apps/sgd/commands/trained_model.h"

namespace rota::sgd {

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
