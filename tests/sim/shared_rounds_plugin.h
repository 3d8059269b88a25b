// tests/sim/shared_rounds_plugin.h -- a small plugin of shared rounds whose model reveals any error of the framework.
//
// Its schedule chooses by feedback, several schedulers have a share each, rounds have arguments, blocks, notes and
// replies, tables are in one partition or spread, pull has a state, and the job may end before its last epoch.  Every
// hook checks what it sees (pipeline, staleness, values as of the commits received), and mixes it into the model in a
// way that does not commute.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

// Options: pipeline, staleness.
const Plugin& shared_rounds_plugin();

}  // namespace rota::sim
