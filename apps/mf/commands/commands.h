// apps/mf/commands/commands.h -- the commands for models and ratings: one file for each.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::mf {

// Writes the model as text files; kReadme in export.cc describes them.  Throws std::runtime_error if they cannot be
// written.
void export_text(const Model& model, const std::filesystem::path& folder);

Command evaluate_command();
Command generate_command();
Command predict_command();
Command recommend_command();
Command show_command();
Command similar_command();
Command split_command();

// `evaluate` with --ranking.
std::span<const Option> evaluate_options();
void evaluate_ranking(const Call& call, std::ostream& out);

}  // namespace rota::mf
