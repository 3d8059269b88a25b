// tests/sim/open_plugin.h -- a small plugin of dense tables: open rounds and rounds that name rows, in every mixture
// with other tables and slices.
//
// Pull records its commits; every push compares its view of a dense table with the commits that it has received, number
// by number.  The result depends on their order, and its sums are rounded, so that a sum in another order is detected.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

const Plugin& open_plugin();

}  // namespace rota::sim
