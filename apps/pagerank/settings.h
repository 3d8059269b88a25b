// apps/pagerank/settings.h -- the options of the PageRank app.
#pragma once
#include <span>
#include <vector>

#include "rota/plugin.h"

namespace rota::pagerank {

inline constexpr TableId kRanks = 0;  // dense: key v is node v, and its one number the rank

std::span<const Option> options();

}  // namespace rota::pagerank
