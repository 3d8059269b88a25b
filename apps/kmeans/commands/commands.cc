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
       .summary = "prints the inertia of other rows, and the sizes of their clusters, as JSON",
       .options = {},
       .run = evaluate,
       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::kmeans
