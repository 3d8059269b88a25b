// apps/kmeans/commands/commands.h -- the commands for a model.
#pragma once
#include <span>

#include "rota/plugin.h"

namespace rota::kmeans {

std::span<const Command> commands();

}  // namespace rota::kmeans
