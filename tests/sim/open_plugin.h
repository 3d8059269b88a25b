// tests/sim/open_plugin.h -- a small plugin of shared tables, dense and sparse, in one partition or spread: open rounds
// and rounds that name rows, in every mixture with slices, with arguments, blocks, notes, replies and feedback.
//
// Pull records its commits; every push compares its view of a dense table with the commits that it has received, number
// by number, and its other rows as of those.  Every hook checks what it sees (pipeline, staleness, the job's end).  The
// result depends on the order of commits, and its sums are rounded, so that a sum in another order is detected.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

const Plugin& open_plugin();

}  // namespace rota::sim
