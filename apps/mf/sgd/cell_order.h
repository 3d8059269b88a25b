// apps/mf/sgd/cell_order.h -- the order of the steps for the ratings of a cell.
#pragma once
#include <cstddef>
#include <span>

#include "apps/mf/kernels.h"

namespace rota::mf {

// A cell is cut into tiles, by runs of the slice's rows that stay in a processor's second-level cache; within a tile
// ratings are in the order of the shard's rows.  Then the halves of a tile are interleaved, one rating of each in turn:
// two steps at once depend on each other only if they share a row.  The order depends only on the ratings and the width
// of a row, so it is the same on every machine.
void order_cell(std::span<CellRating> ratings, std::size_t row_bytes);

}  // namespace rota::mf
