// core/checkpoint/era.h -- the number of an attempt at a run, which distinguishes what belongs to an earlier one.
#pragma once
#include <cstdint>

#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

// One more than of any earlier attempt in this folder, and durable when this returns; from 1.  The caller holds the
// lock of the run (core/job/run_lock.h).
Result<std::uint64_t> begin_era(const RunFolder& run);

}  // namespace rota
