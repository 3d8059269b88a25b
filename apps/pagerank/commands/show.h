// apps/pagerank/commands/show.h -- rota show pagerank: prints the nodes of the highest ranks.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::pagerank {

std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);

}  // namespace rota::pagerank
