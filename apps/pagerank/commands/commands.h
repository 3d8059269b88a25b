// apps/pagerank/commands/commands.h -- the commands beside training.
#pragma once
#include <span>

#include "rota/plugin.h"

namespace rota::pagerank {

std::span<const Command> commands();

}  // namespace rota::pagerank
