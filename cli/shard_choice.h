// cli/shard_choice.h -- how many data shards, where the user leaves that to the app; and the user is told.
#pragma once
#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// choose_shards(), and a line on stderr if the plugin has a rule.
Result<ChosenShards> choose_shards_and_tell(const Plugin& plugin, const Job& job);

}  // namespace rota
