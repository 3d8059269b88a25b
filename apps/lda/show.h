// apps/lda/show.h -- `rota show lda`: the topics as a table.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/model.h"
#include "rota/options.h"

namespace rota::lda {

std::span<const Option> show_options();
void show(const Model& model, const Options& options, std::ostream& out);

}  // namespace rota::lda
