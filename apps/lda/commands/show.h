// apps/lda/commands/show.h -- `rota show lda`: the topics as a table.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/options.h"
#include "rota/plugin.h"

namespace rota::lda {

std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);

}  // namespace rota::lda
