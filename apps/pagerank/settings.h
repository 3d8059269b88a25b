// apps/pagerank/settings.h -- the options of the PageRank app.
#pragma once
#include <span>
#include <vector>

#include "rota/options.h"
#include "rota/types.h"

namespace rota::pagerank {

inline constexpr TableId kRanks = 0;  // dense: key v is node v, and its one number the rank

std::span<const Option> options();
// Options that change nothing.
std::vector<Ignored> ignored(const Options& options);

}  // namespace rota::pagerank
