// apps/mf/commands/commands.h -- the commands of the apps mf, als and ccd.
#pragma once
#include <filesystem>
#include <span>

#include "rota/plugin.h"

namespace rota::mf {

Command show_command();
Command predict_command();
Command evaluate_command();
Command recommend_command();
Command similar_command();
Command split_command();

inline std::span<const Command> commands() {
  static const Command kCommands[] = {show_command(),      predict_command(), evaluate_command(),
                                      recommend_command(), similar_command(), split_command()};
  return kCommands;
}

// Writes the model as text files; kReadme in export.cc describes them.  Throws std::system_error if they cannot be
// written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::mf
