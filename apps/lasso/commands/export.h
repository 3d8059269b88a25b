// apps/lasso/commands/export.h -- the model as text: tables for R, Python and people.
#pragma once
#include <filesystem>

#include "rota/model.h"

namespace rota::lasso {

void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lasso
