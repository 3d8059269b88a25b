// tests/sim/shared_rounds_plugin.h -- a small plugin of shared rounds whose model shows any slip of their rules.
//
// Its schedule chooses by what it was fed back, several schedulers have a share each, rounds have arguments, blocks,
// notes and replies, tables are together or apart, pull has a state of its own, and the job may end before its last
// epoch.  Every hook checks what it may know at that moment (pipeline, staleness, values as of the commits that it has
// seen), and mixes it into the model in a way that does not commute.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

// Options: pipeline, staleness.
const Plugin& shared_rounds_plugin();

}  // namespace rota::sim
