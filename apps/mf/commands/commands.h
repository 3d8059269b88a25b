// apps/mf/commands/commands.h -- the commands for models and ratings: one file for each.
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <vector>

#include "apps/mf/settings.h"
#include "rota/plugin.h"

namespace rota::mf {

std::span<const Command> commands();
// Writes the model as text files; kReadme in export.cc describes them.  Throws std::runtime_error if they cannot be
// written.
void export_text(const Model& model, const std::filesystem::path& folder);

void predict(const Call& call, std::ostream& out);
std::span<const Option> evaluate_options();
void evaluate(const Call& call, std::ostream& out);
void evaluate_ranking(const Call& call, std::ostream& out);
std::span<const Option> recommend_options();
void recommend(const Call& call, std::ostream& out);
std::span<const Option> similar_options();
void similar(const Call& call, std::ostream& out);
std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);
std::span<const Option> split_options();
void split(const Call& call, std::ostream& out);
std::span<const Option> generate_options();
void generate(const Call& call, std::ostream& out);

}  // namespace rota::mf
