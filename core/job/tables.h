// core/job/tables.h -- a plugin's tables, checked.
#pragma once
#include <vector>

#include "core/base/status.h"
#include "rota/app.h"
#include "rota/job.h"

namespace rota {

// What a dense table may have of numbers: more is a mistake, or a table that is not for this.
inline constexpr std::uint64_t kDenseNumbersMost = std::uint64_t{1} << 34;

// Whether the tables can be: an error, the plugin's fault, if a dense one is not a shared one, or has more numbers than
// a process should keep.
Status check_tables(const std::vector<Table>& tables);

// The app's tables.  Throws std::runtime_error if they cannot be.
std::vector<Table> tables_of(const App& app, const Facts& facts);

}  // namespace rota
