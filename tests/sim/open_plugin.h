// tests/sim/open_plugin.h -- a small plugin of dense tables: open rounds and such that name rows, in every mixture with
// other tables and slices.
//
// Pull writes down what it commits; every push compares all that it sees of a dense table with what the rounds that it
// was told of committed, number by number.  What it makes of them does not commute, and its sums are rounded, so that
// a sum in another order shows.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

const Plugin& open_plugin();

}  // namespace rota::sim
