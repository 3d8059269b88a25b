// apps/lasso/by_columns/hooks.h -- the three steps over ranges of columns.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/lasso/by_columns/settings.h"
#include "apps/lasso/design/load.h"
#include "rota/plugin.h"

namespace rota::lasso {

// Chooses the working set: the support and the columns nearest to entering it are solved in one place; then all columns
// are screened, and the set grows, until the duality gap is small enough.
//
// Working sets: Johnson and Guestrin, "Blitz: A principled meta-algorithm for scaling sparse optimization", ICML 2015;
// Massias, Gramfort and Salmon, "Celer: a fast solver for the Lasso with dual extrapolation", ICML 2018.
std::unique_ptr<Schedule> columns_schedule(const ColumnSettings& settings);

// The columns of all shards, in a process that has them and the pull; else none.
using ColumnsHere = std::vector<std::shared_ptr<const Columns>>;

// Screen the columns, and send those requested.  The shards of a process share the rows' data.  `here`: the pull is in
// this process, and they are added to that list.
std::vector<std::unique_ptr<Push>> columns_pushes(const ColumnSettings& settings, std::uint64_t seed, Design data,
                                                  ColumnsHere* here);

// Gathers the working set and solves it.
std::unique_ptr<Pull> columns_pull(const ColumnSettings& settings, std::uint64_t seed, ColumnsHere here);

}  // namespace rota::lasso
