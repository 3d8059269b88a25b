// apps/lda/commands/predict.h -- `rota predict lda`: the topics of new documents.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lda {

std::span<const Option> predict_options();
void predict(const Call& call, std::ostream& out);

}  // namespace rota::lda
