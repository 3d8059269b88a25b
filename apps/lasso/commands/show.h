// apps/lasso/commands/show.h -- `rota show lasso`: the path as a table, and the coefficients of one penalty.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lasso {

std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);

}  // namespace rota::lasso
