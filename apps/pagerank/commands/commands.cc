#include "apps/pagerank/commands/commands.h"

#include "apps/pagerank/commands/generate.h"
#include "apps/pagerank/commands/show.h"

namespace rota::pagerank {

std::span<const Command> commands() {
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the nodes of the highest ranks", .options = show_options(), .run = show},
      {.name = "generate",
       .summary = "draws a graph whose degrees follow power laws, as those of the web",
       .options = generate_options(),
       .run = generate,
       .needs_model = false}};
  return kCommands;
}

}  // namespace rota::pagerank
