// apps/sgd/commands/commands.h -- what can be done with a model.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::sgd {

std::span<const Command> commands();

std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);
std::span<const Option> predict_options();
void predict(const Call& call, std::ostream& out);
void evaluate(const Call& call, std::ostream& out);

// A model as text files.  Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::sgd
