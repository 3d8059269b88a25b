#include "apps/kmeans/commands/commands.h"

#include "apps/kmeans/commands/predict.h"
#include "apps/kmeans/commands/show.h"

namespace rota::kmeans {

std::span<const Command> commands() {
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the clusters", .options = show_options(), .run = show},
      {.name = "predict",
       .summary = "prints the cluster of every row",
       .options = {},
       .run = predict,
       .takes_input = true},
      {.name = "evaluate",
       .summary = "the inertia of other rows, and how many are nearest to each centre",
       .options = {},
       .run = evaluate,
       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::kmeans
