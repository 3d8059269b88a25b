// apps/lda/commands/export.h -- a model as text files; kReadme in export.cc describes them.
#pragma once
#include <filesystem>

#include "rota/model.h"

namespace rota::lda {

// Writes topics.txt, word_topic.txt, doc_topic.txt, priors.txt and README.txt.  Throws std::runtime_error if it cannot.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lda
