// apps/lasso/commands/commands.h -- what users do with a model.
#pragma once
#include <filesystem>
#include <span>

#include "rota/plugin.h"

namespace rota::lasso {

// show, predict, evaluate.
std::span<const Command> commands();

// The model as text: tables for R, Python and people.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lasso
