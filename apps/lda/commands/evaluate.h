// apps/lda/commands/evaluate.h -- `rota evaluate lda`: the probability of new documents under a model, as JSON.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lda {

std::span<const Option> evaluate_options();
void evaluate(const Call& call, std::ostream& out);

}  // namespace rota::lda
