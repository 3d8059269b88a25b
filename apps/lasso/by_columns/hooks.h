// apps/lasso/by_columns/hooks.h -- the three steps over ranges of columns.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/by_columns/settings.h"
#include "apps/lasso/design/load.h"
#include "apps/lasso/fit_sequence.h"
#include "rota/plugin.h"

namespace rota::lasso {

// Chooses the working set: the support and the columns nearest to entering it are solved in one place; then all columns
// are screened, and the set grows, until the duality gap is small enough.
//
// Working sets: Johnson and Guestrin, "Blitz: A principled meta-algorithm for scaling sparse optimization", ICML 2015;
// Massias, Gramfort and Salmon, "Celer: a fast solver for the Lasso with dual extrapolation", ICML 2018.
std::unique_ptr<Schedule> columns_schedule(const ColumnSettings& settings);

// Of all rows.
struct RowData {
  RowData(DataNote its_data, const ColumnSettings& settings, std::uint64_t seed)
      : data(std::move(its_data)), folds(folds_of_rows(data.response.size(), settings.folds, seed)) {}
  // Of a fit's rows, summing to 1: see weights_outside.
  std::vector<double> weights(std::uint32_t fold, const ColumnSettings& settings) const {
    return weights_outside(data.response.size(), data.weights, folds, fold, settings.weights);
  }

  DataNote data;
  std::vector<std::uint32_t> folds;  // empty without folds
};

// What shards and pull share in a process that has all of them; else nothing.
struct DataHere {
  std::vector<std::shared_ptr<const Columns>> columns;  // by shard
  std::shared_ptr<const RowData> rows;
};

// Screen the columns, and send those requested.  The shards of a process share the rows' data.  `here`: the pull is in
// this process, and gets their data by it instead of their notes.
std::vector<std::unique_ptr<Push>> columns_pushes(const ColumnSettings& settings, std::uint64_t seed, Design data,
                                                  DataHere* here);

// Gathers the working set and solves it.
std::unique_ptr<Pull> columns_pull(const ColumnSettings& settings, std::uint64_t seed, DataHere here);

}  // namespace rota::lasso
