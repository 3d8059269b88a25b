// apps/pagerank/commands/export.h -- a model as text files; kReadme in export.cc describes them.
#pragma once
#include <filesystem>

#include "rota/model.h"

namespace rota::pagerank {

// Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::pagerank
