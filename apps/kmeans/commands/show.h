// apps/kmeans/commands/show.h -- rota show kmeans: prints the clusters.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::kmeans {

std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);

}  // namespace rota::kmeans
