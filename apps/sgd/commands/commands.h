// apps/sgd/commands/commands.h -- the commands for a model.
#pragma once
#include <filesystem>
#include <span>

#include "rota/plugin.h"

namespace rota::sgd {

std::span<const Command> commands();

// A model as text files.  Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::sgd
