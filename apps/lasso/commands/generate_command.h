// apps/lasso/commands/generate_command.h -- `rota generate lasso`: its options.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lasso {

std::span<const Option> generate_options();
void generate_command(const Call& call, std::ostream& out);

}  // namespace rota::lasso
