// apps/kmeans/commands/commands.h -- what can be done with a model.
#pragma once
#include <span>

#include "rota/plugin.h"

namespace rota::kmeans {

std::span<const Command> commands();

}  // namespace rota::kmeans
