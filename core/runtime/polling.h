// core/runtime/polling.h -- how long a thread looks for what comes next before it sleeps.
#pragma once
#include "core/base/clock.h"

namespace rota {

// While rounds follow each other, messages and work come soon.  So a thread looks for them this long before it sleeps,
// if the last came soon: a wake-up takes about 10 us, and on a virtual machine, whose idle core sleeps, 50 to 100.
constexpr Nanoseconds kPollMost = 200'000, kSoon = 2 * kPollMost;

}  // namespace rota
