#include "apps/sgd/commands/commands.h"

namespace rota::sgd {

std::span<const Command> commands() {
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the heaviest features", .options = show_options(), .run = show},
      {.name = "predict",
       .summary = "prints a prediction for every row",
       .options = predict_options(),
       .run = predict,
       .takes_input = true},
      {.name = "evaluate",
       .summary = "scores the model on other rows, as JSON",
       .options = {},
       .run = evaluate,
       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::sgd
