// apps/lda/commands/commands.h -- what the app offers beside training.
#pragma once
#include <filesystem>

#include "rota/plugin.h"

namespace rota::lda {

Command show_command();
Command predict_command();
Command evaluate_command();
Command diagnostics_command();
Command pyldavis_command();
Command convert_command();
Command generate_command();

// Writes topics.txt, word_topic.txt, doc_topic.txt, priors.txt and README.txt.  Throws std::runtime_error if it cannot.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lda
