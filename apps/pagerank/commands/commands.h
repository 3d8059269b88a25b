// apps/pagerank/commands/commands.h -- what can be done beside training.
#pragma once
#include <span>

#include "rota/plugin.h"

namespace rota::pagerank {

std::span<const Command> commands();

}  // namespace rota::pagerank
