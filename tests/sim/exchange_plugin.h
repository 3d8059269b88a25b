// tests/sim/exchange_plugin.h -- a small plugin of replicas: exchange rounds along dataflows of every kind, with rounds
// of a dense table in between.
//
// A message names its round, step and ends; who gathers it compares them with what it is to get, and how far the shard
// lags behind with what it may.  What it makes of the messages does not commute.
#pragma once
#include "rota/plugin.h"

namespace rota::sim {

const Plugin& exchange_plugin();

}  // namespace rota::sim
