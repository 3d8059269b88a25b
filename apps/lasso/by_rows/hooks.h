// apps/lasso/by_rows/hooks.h -- the three steps over ranges of rows: figure 6 of the STRADS paper.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/lasso/by_rows/settings.h"
#include "apps/lasso/design/load.h"
#include "rota/plugin.h"
#include "rota/schedules/interference.h"

namespace rota::lasso {

// Decides the purpose of rounds, and draws the coefficients that change.  `interference` is the dependency test.  If it
// is null, nothing interferes, except with Conflicts::group: then all coefficients of a round are one block.
std::unique_ptr<Schedule> rows_schedule(const RowSettings& settings, const Job& job, Share share,
                                        std::unique_ptr<Interference> interference);

// The parts of a shard's rows.  Adds the blocks that the pushes read to `columns`.
std::vector<std::unique_ptr<Push>> rows_pushes(const RowSettings& settings, std::uint64_t seed, Design data,
                                               std::vector<std::shared_ptr<const Columns>>& columns);

// Combines them, and changes the coefficients.  `staleness` of the job: how many rounds a push may lag.
std::unique_ptr<Pull> rows_pull(const RowSettings& settings, std::uint32_t staleness);

}  // namespace rota::lasso
