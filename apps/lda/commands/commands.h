// apps/lda/commands/commands.h -- what the app offers beside training.
#pragma once
#include <filesystem>
#include <span>

#include "rota/plugin.h"

namespace rota::lda {

std::span<const Command> commands();
Command diagnostics_command();
Command convert_command();

// Writes topics.txt, word_topic.txt, doc_topic.txt, priors.txt and README.txt.  Throws std::runtime_error if it cannot.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lda
