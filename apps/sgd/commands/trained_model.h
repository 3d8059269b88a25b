// apps/sgd/commands/trained_model.h -- a committed model: its weights and classes, and the commands for it.
#pragma once
#include <filesystem>
#include <span>

#include "apps/linear/commands/model.h"
#include "apps/sgd/settings.h"
#include "rota/model.h"
#include "rota/plugin.h"

namespace rota::sgd {

struct TrainedModel : linear::LinearModel {
  Settings settings;
  double centre = 0;  // of numbers: subtracted from labels, and so added to the table's intercept
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

std::span<const Command> commands();

// A model as text files.  Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::sgd
