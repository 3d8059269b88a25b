#include "apps/mf/commands/commands.h"

namespace rota::mf {

std::span<const Command> commands() {
  static const Command kCommands[] = {{.name = "show",
                                       .summary = "prints sizes, and items of the strongest factors",
                                       .options = show_options(),
                                       .run = show},
                                      {.name = "predict",
                                       .summary = "prints the predicted rating of every pair of a user and an item",
                                       .options = format_options(),
                                       .run = predict,
                                       .takes_input = true},
                                      {.name = "evaluate",
                                       .summary = "prints the errors on other ratings, or ranking scores, as JSON",
                                       .options = evaluate_options(),
                                       .run = evaluate,
                                       .takes_input = true},
                                      {.name = "recommend",
                                       .summary = "prints the best items for users, as CSV",
                                       .options = recommend_options(),
                                       .run = recommend},
                                      {.name = "similar",
                                       .summary = "prints the items most similar to an item, as CSV",
                                       .options = similar_options(),
                                       .run = similar},
                                      {.name = "split",
                                       .summary = "writes ratings for training and for validation into a folder",
                                       .options = split_options(),
                                       .run = split,
                                       .needs_model = false,
                                       .takes_input = true},
                                      {.name = "generate",
                                       .summary = "draws ratings of low rank with noise",
                                       .options = generate_options(),
                                       .run = generate,
                                       .needs_model = false}};
  return kCommands;
}

}  // namespace rota::mf
