// tests/sim/exchange_plugin.h -- a small plugin of replicas: exchange rounds along dataflows of every kind, with rounds
// of a dense table in between.
//
// A message names its round, step and ends; the receiver checks them, and the lag of the sender.  The result depends on
// the order of the messages.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

const Plugin& exchange_plugin();

}  // namespace rota::sim
