// apps/mf/sgd/pair_kernel.h -- steps of Bayesian personalised ranking (Rendle, Freudenthaler, Gantner and
// Schmidt-Thieme, UAI 2009): of a resident, a visitor that it has rated, and one that it has not.
#pragma once
#include <cstddef>
#include <cstdint>

#include "apps/mf/sgd/cell_kernel.h"

namespace rota::mf {

struct PairStep {
  std::uint32_t resident, rated, other;  // rated != other
};

// Makes the steps, one after the other.  The ratings of the cell are not used.  Returns the sum of the losses, each
// before its step.
using RunPairs = double (*)(const Cell&, const PairStep* steps, std::size_t count);

}  // namespace rota::mf
