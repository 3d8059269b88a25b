// cli/commands/shard_choice.h -- into how many parts the data of a job is divided if the user does not say.
#pragma once
#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// As the plugin finds good for the job's input, whose files are looked up already; `from` is empty if it has no rule,
// else a line on stderr says it.  Depends on the data and the options, never on the machine.  Errors are those of
// reading the input; ExitCode::bug if no job can have so many.
Result<ChosenShards> choose_shards(const Plugin& plugin, const Job& job);

}  // namespace rota
